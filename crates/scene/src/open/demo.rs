//! Built-in demos, shown if no file is at hand.
//!
//! Generators in `mapscope-testdata` make the demos; its tests ensure that both stay in sync.

use bytes::Bytes;
use std::path::PathBuf;

use glam::Vec3;

use crate::camera::Pose;
use crate::core::source::Source;

/// A built-in file with the files that it names.
#[derive(Debug)]
pub struct Demo {
    /// Its name on the command line, after `demo:`.
    pub id: &'static str,
    /// Its display name.
    pub name: &'static str,
    /// A short description of its content.
    pub help: &'static str,
    /// The initial camera. If [`Demo::is_flat`], only the thumbnail uses it, and the view starts
    /// with the whole map, or as much as fits.
    pub first_pose: Pose,
    /// `true` if it is shown flat, from straight above and without perspective.
    pub is_flat: bool,
    /// Its thumbnail from the initial camera, as the bytes of a JPEG file.
    pub thumbnail: &'static [u8],
    /// The file, relative to `assets`.
    file: &'static str,
    bytes: &'static [u8],
    /// Names and bytes of the other files that it consists of, such as textures.
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
            path: PathBuf::from(self.file.rsplit('/').next().unwrap_or_default()),
            bytes: Bytes::from_static(self.bytes),
            embedded: self.parts,
            archive: None,
        }
    }
}

/// Names and bytes of files in folders of `assets`.
macro_rules! files {
    ($($folder:literal: $($name:literal),* $(,)?);* $(;)?) => {
        &[$($((
            $name,
            include_bytes!(concat!("../../../../assets/", $folder, "/", $name)),
        )),*),*]
    };
}

/// Generates the demos and their list from one table. Columns: the static, the command-line name,
/// the display name, the description, the camera, the file relative to `assets`, and the other
/// files.
macro_rules! demos {
    ($($demo:ident $id:literal $name:literal $help:literal, $view:expr, $file:literal, $parts:expr;)+) => {
        $(
            #[doc = concat!("The demo `", $id, "`.")]
            pub static $demo: Demo = Demo {
                id: $id,
                name: $name,
                help: $help,
                first_pose: $view.0,
                is_flat: $view.1,
                thumbnail: include_bytes!(concat!("../../../../assets/demo/pictures/", $id, ".jpg")),
                file: $file,
                bytes: include_bytes!(concat!("../../../../assets/", $file)),
                parts: $parts,
            };
        )+

        /// All demos, in the order in which they are offered.
        pub static DEMOS: [&Demo; 12] = [$(&$demo),+];
    };
}

/// A perspective view from `eye` to `target`.
const fn from(eye: [f32; 3], target: [f32; 3]) -> (Pose, bool) {
    let (eye, target) = (Vec3::from_array(eye), Vec3::from_array(target));
    (Pose { eye, target }, false)
}

/// A flat view from straight above a place of a map (in pixels), sized to a screen of 424 by 240
/// pixels.
const fn flat(x: f32, z: f32) -> (Pose, bool) {
    // Half of 240, divided by the tangent of half the field of view.
    let height = 289.706;
    (from([x, height, z], [x, 0.0, z]).0, true)
}

demos! {
    // Over the market to the chapel and the mill.
    HAMLET "hamlet" "Hamlet" "A scene: a market with its people, cottages, a chapel and a mill",
        from([70.0, 120.0, 130.0], [-100.0, 0.0, -20.0]), "demo/demo.pfscene",
        files!["demo": "demo.pfmap",
            "assets/models/village/thatched_cottage.pfobj",
            "assets/models/village/tiled_cottage.pfobj", "assets/models/village/barn.pfobj",
            "assets/models/village/chapel.pfobj", "assets/models/village/windmill.pfobj",
            "assets/models/village/well.pfobj", "assets/models/village/stall_red.pfobj",
            "assets/models/village/stall_blue.pfobj", "assets/models/village/fence.pfobj",
            "assets/models/village/pales.pfobj", "assets/models/village/cart.pfobj",
            "assets/models/village/barrel.pfobj", "assets/models/village/crates.pfobj",
            "assets/models/village/haystack.pfobj", "assets/models/village/signpost.pfobj",
            "assets/models/village/jetty.pfobj", "assets/models/village/boat.pfobj",
            "assets/models/village/log_pile.pfobj", "assets/models/village/trough.pfobj",
            "assets/models/village/bench.pfobj", "assets/models/village/lamp.pfobj",
            "assets/models/village/oak.pfobj", "assets/models/village/apple_tree.pfobj",
            "assets/models/village/birch.pfobj", "assets/models/village/pine.pfobj",
            "assets/models/village/bush.pfobj", "assets/models/village/reeds.pfobj",
            "assets/models/village/grass.pfobj", "assets/models/village/flowers.pfobj",
            "assets/models/village/wheat.pfobj", "assets/models/village/garden_bed.pfobj",
            "assets/models/village/rocks.pfobj", "assets/models/village/villager_blue.pfobj",
            "assets/models/village/villager_green.pfobj",
            "assets/models/village/villager_red.pfobj",
            "assets/models/village/villager_violet.pfobj", "assets/models/village/sheep.pfobj",
            "assets/models/village/goose.pfobj", "assets/models/village/banner.pfobj";
            "demo/assets/models/village":
            "thatch.jpg", "tiles.jpg", "slates.jpg", "plaster.jpg", "stones.jpg", "timber.jpg",
            "planks.jpg", "bark.jpg", "foliage.jpg", "leaves.png", "needles.png", "plants.png",
            "colors.png";
            "demo/assets/map_textures":
            "grass.jpg", "meadow.jpg", "moss.jpg", "rock.jpg", "sand.jpg", "path.jpg",
            "cobbles.jpg", "flagstones.jpg", "snow.jpg"];
    // Over the lake toward the castle and the mountain.
    TERRAIN "terrain" "Terrain" "A map with a lake, a castle and a mountain",
        from([590.0, 330.0, 520.0], [90.0, -60.0, 20.0]), "demo/demo.pfmap",
        files!["demo/assets/map_textures": "grass.jpg", "meadow.jpg", "moss.jpg", "rock.jpg",
            "sand.jpg", "path.jpg", "cobbles.jpg", "flagstones.jpg", "snow.jpg"];
    // From the wall of the vestibule over the pool to the windows.
    BATHHOUSE "bathhouse" "Bath house" "A level with a pool, coloured light and lamps to switch",
        from([2.2, -0.6, 3.0], [13.0, -1.5, -0.9]), "levels/bathhouse.pmf", &[];
    VILLAGE "village" "Village" "A 2D map of ika: a harbour with moving water, people and zones",
        flat(442.0, 290.0), "maps/harbour.map", files!["maps": "harbour.vsp"];
    STATION "station" "Space station"
        "A 2D map of PixelPerfectEngine: rooms with coloured light and a starry sky",
        flat(320.0, 250.0), "maps/station.xmf",
        files!["maps": "station.map", "station_crew.png", "station_tiles.png"];
    DRAKELING "drakeling" "Drakeling" "A young dragon that idles, walks and jumps",
        from([7.0, 5.0, 9.5], [0.2, 2.7, -0.7]), "models/drakeling.pfobj",
        files!["models": "drakeling_eye.png", "drakeling_hide.png", "drakeling_horn.png",
            "drakeling_wing.png"];
    ROBOT "robot" "Robot" "A model of PlatinumSrc that walks, waves and carries",
        from([1.7, 1.6, 2.9], [0.0, 0.95, 0.0]), "models/robot.p3m", &[];
    BLOSSOM_TREE "blossom-tree" "Blossom tree" "A tree whose leaves have holes",
        from([10.0, 8.5, 13.5], [0.0, 5.2, 0.0]), "models/blossom_tree.pfobj",
        files!["models": "blossom_tree_bark.png", "blossom_tree_leaves.png"];
    LANTERN "lantern" "Lantern" "A lantern that glows",
        from([5.0, 6.0, 8.0], [0.8, 3.7, 0.0]), "models/lantern.pfobj",
        files!["models": "lantern.png", "lantern_glass.png"];
    TOADSTOOLS "toadstools" "Toadstools" "A group of toadstools",
        from([4.0, 4.5, 6.5], [0.0, 1.4, 0.0]), "models/toadstools.pfobj",
        files!["models": "toadstools.png", "toadstools_cap.png"];
    BOULDERS "boulders" "Boulders" "Three mossy boulders",
        from([4.0, 3.8, 6.6], [0.0, 1.2, 0.0]), "models/boulders.pfobj",
        files!["models": "boulders.png"];
    BARREL "barrel" "Barrel" "A barrel",
        from([3.0, 3.5, 5.0], [0.0, 1.4, 0.0]), "models/barrel.pfobj",
        files!["models": "barrel.png"];
}

/// The default demo.
pub static FIRST: &Demo = &HAMLET;

/// A piece of ground the size of a map tile, with its top at height 0, for models to stand on.
pub fn ground() -> Source {
    Source {
        path: PathBuf::from("ground.pfobj"),
        bytes: Bytes::from_static(include_bytes!("../../../../assets/models/ground.pfobj")),
        embedded: files!["models": "ground_earth.jpg", "ground_grass.jpg"],
        archive: None,
    }
}

/// Finds a demo by name; an empty name gives the default demo.
pub fn find(id: &str) -> Option<&'static Demo> {
    if id.is_empty() {
        return Some(FIRST);
    }
    DEMOS.into_iter().find(|demo| demo.id == id)
}
