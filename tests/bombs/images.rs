//! Small files that refer to large images and maps many times, by many names for one file or by
//! many files. All decoded data of a document shares one budget.

use std::fmt::Write as _;
use std::io::Cursor;
use std::path::Path;

use image::{DynamicImage, ImageFormat};
use mapscope_formats::pfmap::Tile;
use mapscope_formats::pfobj;
use mapscope_testdata::{tiny_model, tiny_scene};

use super::{output_within, zeros};

/// Memory limit of a command for files of a few kilobytes, in bytes.
const MAX_BYTES: u64 = 300 << 20;

/// Runs `info` and `check` on a file within the limits. Returns the output of `check`.
fn run_commands(name: &str, file: &Path) -> String {
    output_within(name, "info", file, MAX_BYTES);
    output_within(name, "check", file, MAX_BYTES)
}

/// Returns a black square PNG with the given side in pixels.
fn black(side: u32) -> Vec<u8> {
    let mut png = Cursor::new(Vec::new());
    let image = DynamicImage::new_luma8(side, side);
    image.write_to(&mut png, ImageFormat::Png).unwrap();
    png.into_inner()
}

/// Returns the lines of a report that end with a rule.
fn lines<'t>(text: &'t str, rule: &str) -> Vec<&'t str> {
    let rule = format!("[{rule}]");
    text.lines().filter(|line| line.ends_with(&rule)).collect()
}

const HEAD: &str = "Metadata {\n Version 1 0\n Name \"t\"\n Resolution 424 240\n}\n";

#[test]
fn sheets_and_maps_of_a_container() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let image = black(4096);
    std::fs::write(path("same.png"), &image).unwrap();
    let cells = zeros(0x400, [4096, 4096]);
    std::fs::write(path("same.map"), &cells).unwrap();
    for i in 0..12 {
        std::fs::write(path(&format!("c{i}.png")), &image).unwrap();
        std::fs::write(path(&format!("m{i}.map")), &cells).unwrap();
    }
    let sheet = |i: usize, name: &str| {
        let dots = "./".repeat(i);
        format!(
            "Layer:Tile \"L\" {i} 16 16 2 2 {{\n File:TileSource \"%PATH%/{dots}{name}\" {{\n \
             Embed:TileInfo {{\n 0 0 \"t\"\n }}\n }}\n}}\n"
        )
    };
    let map = |i: usize, name: &str| {
        let dots = "./".repeat(i);
        let name = format!("%PATH%/{dots}{name}");
        format!("Layer:Tile \"L\" {i} 16 16 4096 4096 {{\n File:MapData \"{name}\"\n}}\n")
    };
    let write = |name: &str, of: &dyn Fn(usize) -> String| {
        let mut text = HEAD.to_owned();
        (0..12).for_each(|i| text.push_str(&of(i)));
        std::fs::write(path(name), text).unwrap();
        path(name)
    };
    let same = write("sheet.xmf", &|i| sheet(i, "same.png"));
    let same = [same, write("map.xmf", &|i| map(i, "same.map"))];
    for (name, file) in ["one sheet", "one map"].iter().zip(same) {
        let said = run_commands(name, &file);
        assert!(lines(&said, "xmf/unreadable-file").is_empty(), "{said}");
    }
    for (name, of) in [
        (
            "sheets.xmf",
            &(|i| sheet(0, &format!("c{i}.png"))) as &dyn Fn(usize) -> String,
        ),
        ("maps.xmf", &|i| map(0, &format!("m{i}.map"))),
    ] {
        let said = run_commands(name, &write(name, of));
        let refused = lines(&said, "xmf/unreadable-file");
        assert!((6..12).contains(&refused.len()), "{name}: {said}");
        assert!(
            refused.iter().all(|line| line.contains("the limit")),
            "{said}"
        );
    }
}

#[test]
fn textures_of_a_map() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("same.png"), black(4096)).unwrap();
    for i in 0..12 {
        std::fs::write(path(&format!("c{i}.png")), black(4096)).unwrap();
    }
    for i in 0..255 {
        std::fs::write(path(&format!("s{i}.png")), black(16)).unwrap();
    }
    // Every material is used by a tile.
    let of = |name: &str, count: u16, texture: &dyn Fn(u16) -> String| {
        let mut text = format!("version 1.0\nnum_materials {count}\nnum_rows 1\nnum_cols 1\n");
        for i in 0..count {
            writeln!(text, "material m{i} {}", texture(i)).unwrap();
        }
        for i in 0..1024 {
            let mut tile = Tile::default();
            tile.top_material = i % count;
            text += std::str::from_utf8(&tile.text()).unwrap();
            text += if i % 4 == 3 { "\n" } else { " " };
        }
        std::fs::write(path(name), text).unwrap();
        path(name)
    };
    let said = run_commands(
        "one texture",
        &of("a.pfmap", 60, &|_| "same.png".to_owned()),
    );
    assert!(!said.contains("texture/"), "read once: {said}");
    let said = run_commands("textures", &of("b.pfmap", 12, &|i| format!("c{i}.png")));
    let refused = lines(&said, "texture/limit").len();
    assert!((1..12).contains(&refused), "{said}");
    let said = run_commands(
        "small textures",
        &of("c.pfmap", 255, &|i| format!("s{i}.png")),
    );
    assert!(!lines(&said, "texture/limit").is_empty(), "{said}");
    run_commands(
        "missing textures",
        &of("d.pfmap", 255, &|i| format!("no{i}.png")),
    );
}

#[test]
fn textures_of_models() {
    let folder = tempfile::tempdir().unwrap();
    let model = String::from_utf8(pfobj::write(&tiny_model())).unwrap();
    let [first, second] = [0, 1].map(|i| tiny_model().materials[i].texture.clone());
    let scene = tiny_scene::write_game(folder.path(), &tiny_scene::sound_scene()).unwrap();
    let models = folder.path().join("assets/models");
    let mut text = tiny_scene::sound_scene();
    let entity = text.find("entity ").unwrap();
    let mut more = String::new();
    for i in 0..24 {
        let of = model.replace(&first, &format!("a{i}.png"));
        let of = of.replace(&second, &format!("b{i}.png"));
        std::fs::write(models.join(format!("m{i}.pfobj")), of).unwrap();
        for image in [format!("a{i}.png"), format!("b{i}.png")] {
            std::fs::write(models.join(image), black(4096)).unwrap();
        }
        let model = format!("assets/models/m{i}.pfobj");
        writeln!(
            more,
            "entity e{i} {model} 1\n   position vec3 {i}.0 0.0 0.0"
        )
        .unwrap();
    }
    text.insert_str(entity, &more);
    std::fs::write(&scene, text).unwrap();
    let said = run_commands("models of a scene", &scene);
    assert!(lines(&said, "texture/limit").len() > 20, "{said}");
}
