//! A small scene with every kind of section and attribute, whose values all differ.

use std::io;
use std::path::{Path, PathBuf};

use mapscope_formats::{pfmap, pfobj};

use crate::{synthesize, tiny_model};

/// The scene without problems except the positions of its entities: both have the model of
/// [`write_game`], and the first one plays a clip of it.
pub fn sound_scene() -> String {
    let scene = SCENE.replace("assets/models/rock.pfobj", "assets/models/guard.pfobj");
    scene.replace("Stand still", "walk")
}

/// Writes a game to a folder: one map, one model, their textures and a scene on the map. Returns
/// the path of the scene.
///
/// # Errors
/// If the folder is not writable.
pub fn write_game(folder: &Path, scene: &str) -> io::Result<PathBuf> {
    let [maps, models] = ["assets/maps", "assets/models"].map(|sub| folder.join(sub));
    for folder in [&maps, &models] {
        std::fs::create_dir_all(folder)?;
    }
    let [map, model] = [synthesize::pfmap(1, 1, 1), pfobj::write(&tiny_model())];
    std::fs::write(maps.join("a.pfmap"), &map)?;
    std::fs::write(models.join("guard.pfobj"), &model)?;
    let parsed = pfmap::read(&map).map_err(io::Error::other)?;
    let of_map = parsed.materials.into_iter().map(|it| it.texture);
    let of_model = tiny_model().materials.into_iter().map(|it| it.texture);
    let textures = folder.join("assets/map_textures");
    std::fs::create_dir_all(&textures)?;
    let files = of_map.map(|name| textures.join(name));
    let files = files.chain(of_model.map(|name| models.join(name)));
    for (file, shade) in files.zip((40..).step_by(10)) {
        std::fs::write(file, bitmap(8, |_, _| [shade, 255 - shade, 90]))?;
    }
    write_skybox(&folder.join("assets/skyboxes/evening sky"), 4)?;
    let file = maps.join("a.pfscene");
    std::fs::write(&file, scene)?;
    Ok(file)
}

/// The images of a skybox in the order of cube textures: their names, and the colours of their
/// upper and lower halves.
pub const SKYBOX: [(&str, [[u8; 3]; 2]); 6] = [
    ("right", [[250, 20, 20], [120, 20, 20]]),
    ("left", [[20, 250, 20], [20, 120, 20]]),
    ("top", [[20, 20, 250], [20, 20, 120]]),
    ("bottom", [[250, 250, 20], [120, 120, 20]]),
    ("back", [[250, 20, 250], [120, 20, 120]]),
    ("front", [[20, 250, 250], [20, 120, 120]]),
];

/// Writes the images of [`SKYBOX`] to a folder. They have `side` pixels per side, and their left
/// eighth is white. They are bitmaps regardless of their extension.
///
/// # Errors
/// If the folder is not writable.
pub fn write_skybox(folder: &Path, side: u32) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, halves) in SKYBOX {
        let pixel = |x: u32, y: u32| {
            if x < side.div_ceil(8) {
                [255; 3]
            } else {
                halves[usize::from(y >= side / 2)]
            }
        };
        std::fs::write(folder.join(name).with_extension("jpg"), bitmap(side, pixel))?;
    }
    Ok(())
}

/// A square image as an uncompressed TGA file.
pub fn bitmap(side: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
    let [low, high] = (side as u16).to_le_bytes();
    // True colour with 24 bits; the first row is the top one.
    let mut bytes = vec![
        0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, low, high, low, high, 24, 0x20,
    ];
    for (y, x) in (0..side).flat_map(|y| (0..side).map(move |x| (y, x))) {
        let [r, g, b] = pixel(x, y);
        bytes.extend([b, g, r]);
    }
    bytes
}

/// The scene, as text, in version 1.1.
pub const SCENE: &str = "\
version 1.1
num_sections 5
section \"general\"
    skybox \"assets/skyboxes/evening sky\" jpg
    ambient_light_color 10 20 30 40
    emit_light_color 50 60 70 80
    emit_light_pos 1.500000 2.500000 -3.500000
section \"factions\"
num_factions 2
faction \"Villagers\"
    color vec3 4.000000 5.000000 6.000000
    controllable bool 0
faction \"The Others\"
    color vec3 7.000000 8.000000 9.000000
    controllable bool 1
diplomacy 0 0 0
diplomacy 0 1 1
diplomacy 1 0 1
diplomacy 1 1 0
section \"entities\"
num_entities 2
entity guard assets/models/guard.pfobj 13
   position vec3 1.000000 2.000000 3.000000
   scale vec3 4.000000 5.000000 6.000000
   rotation quat 0.000000 0.600000 0.000000 0.800000
   animated bool 1
   static bool 0
   faction_id int 1
   idle_clip string Stand still
   home vec2 -7.000000 8.500000
   constructor_arguments int 3
       string two words
       int -3
       float 0.500000
   tags int 2
       tag \"night watch\"
       tag \"gate\"
   selection_radius float 3.25
   vision_range float 40.000000
   class string Guard
entity rock assets/models/rock.pfobj 3
   position vec3 9.000000 10.000000 11.000000
   scale vec3 1.000000 1.000000 1.000000
   rotation quat 0.000000 0.000000 0.000000 1.000000
section \"regions\"
num_regions 2
region meadow 1 2
   radius float 12.500000
   pos vec2 10.000000 -20.000000
region gate 0 2
   dimensions vec2 30.000000 40.000000
   pos vec2 0.000000 0.000000
section \"cameras\"
num_cameras 1
camera above
   position vec3 100.000000 175.000000 -50.000000
   pitch float -65.000000
   yaw float 135.000000
";
