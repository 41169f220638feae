//! `export` and `extract`: the written files, and protection of existing ones.

use std::fs;
use std::path::Path;

use mapscope_formats::paf::{Archive, NewFile};
use mapscope_formats::pfobj;
use mapscope_formats::pmf::{self, Packing};
use mapscope_formats::ppe::{Cell, MapData, MapFlags, map_data};
use mapscope_formats::ptf::{Layout, Texture};
use mapscope_testdata::tiny_scene::bitmap;
use mapscope_testdata::{synthesize, tiny_model};
use serde_json::json;

use super::cli::{RAMP, map};
use super::folder::Folder;

/// A texture of two pixels.
fn texture(pixels: [u8; 8]) -> Vec<u8> {
    let texture = Texture::new(Layout::V2, [2, 1], 4, pixels.to_vec());
    texture.write().unwrap()
}

/// A map with an archive of these files.
fn archive_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let file = |&(path, bytes)| NewFile {
        path,
        bytes,
        compress: false,
    };
    let files: Vec<_> = files.iter().map(file).collect();
    let mut map = synthesize::pmf([1, 1, 1], 1, 1);
    map.archive = Some(Archive::build(&files).unwrap());
    pmf::write(&map, Packing::Stored).unwrap()
}

/// A map with an archive of a text, a texture and a truncated texture.
fn with_archive() -> Vec<u8> {
    let texture = texture([1, 2, 3, 4, 5, 6, 7, 8]);
    archive_of(&[
        ("notes/a.txt", b"one"),
        ("textures/brick.ptf", &texture),
        ("textures/cut.ptf", &texture[..5]),
    ])
}

#[cfg(unix)]
#[test]
fn nothing_is_extracted_through_links() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    folder.write(
        "a.pmf",
        archive_of(&[("b.txt", b"b"), ("d/owned.txt", b"x")]),
    );
    for (name, link, target) in [
        ("folder", "d", "../outside"),
        ("file", "b.txt", "../outside/b.txt"),
        ("dangling", "d/owned.txt", "../../outside/new.txt"),
    ] {
        let at = folder.path(name).join(link);
        fs::create_dir_all(folder.path("outside")).unwrap();
        folder.write("outside/b.txt", "old");
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(target, &at).unwrap();
        for force in ["", " --force"] {
            let args = format!("extract a.pmf -o {name}{force}");
            let refused = folder.run(&args).expect(2);
            assert!(
                refused.stderr.contains(&format!("{name}/{link}: ")),
                "{refused:?}"
            );
            let other = fs::symlink_metadata(folder.path(name).join("b.txt"));
            assert!(other.is_ok_and(|it| it.is_symlink()) || link != "b.txt");
        }
        assert!(!folder.path(&format!("{name}/b.txt")).is_file() || name == "file");
        assert_eq!(fs::read(folder.path("outside/b.txt")).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path("outside")).unwrap().count(), 1);
    }
    // The output folder itself may be a link.
    fs::create_dir(folder.path("real")).unwrap();
    symlink("real", folder.path("named")).unwrap();
    folder.run("extract a.pmf -o named").expect(0);
    assert_eq!(fs::read(folder.path("real/d/owned.txt")).unwrap(), b"x");
}

#[test]
fn textures_of_one_name_become_images_of_their_own() {
    let folder = Folder::new();
    let [a, b, c] = [1, 2, 3].map(|at| texture([at; 8]));
    let files: [(&str, &[u8]); 3] = [("a.ptf", &a), ("a.ptg", &b), ("a.tex", &c)];
    folder.write("a.pmf", archive_of(&files));
    for _again in 0..2 {
        let done = folder.run("extract a.pmf -o out").expect(0);
        assert!(done.stderr.contains("3 textures also as PNG"), "{done:?}");
    }
    for (name, at) in [("a.png", 1), ("a.ptg.png", 2), ("a.tex.png", 3)] {
        let image = image::open(folder.path("out").join(name)).unwrap();
        assert_eq!(image.into_rgba8().into_raw(), [at; 8], "{name}");
    }
    assert_eq!(fs::read_dir(folder.path("out")).unwrap().count(), 6);
}

#[test]
fn names_that_no_file_can_have_everywhere_are_refused_before_others_are_written() {
    let folder = Folder::new();
    let longest = "b".repeat(255);
    let files = [
        "CON",
        "NUL.txt",
        "dot.",
        "space ",
        "e\u{1b}[31m",
        "l\n::error::x",
        "\u{202e}gnp.a",
        &longest,
        "a.txt",
    ];
    folder.write("a.pmf", archive_of(&files.map(|name| (name, &b"1"[..]))));
    let done = folder.run("extract a.pmf -o out").expect(1);
    assert_eq!(
        done.stderr
            .lines()
            .filter(|line| line.contains(": refused, "))
            .count(),
        7
    );
    assert!(done.stderr.contains("2 files in out"), "{done:?}");
    let names = fs::read_dir(folder.path("out")).unwrap();
    let mut names: Vec<_> = names.map(|it| it.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.txt", &longest]);
}

#[test]
fn an_archive_is_extracted_with_images_of_its_textures() {
    let folder = Folder::new();
    folder.write("a.pmf", with_archive());
    let listed = folder.run("extract a.pmf").expect(0);
    assert_eq!(
        listed.stdout,
        "notes/a.txt\ntextures/brick.ptf\ntextures/cut.ptf\n"
    );
    let done = folder.run("extract a.pmf -o out").expect(1);
    assert!(done.stderr.contains("textures/cut.ptf: "), "{done:?}");
    assert!(
        done.stderr
            .contains("3 files, 1 texture also as PNG, in out"),
        "{done:?}"
    );
    assert_eq!(fs::read(folder.path("out/notes/a.txt")).unwrap(), b"one");
    let image = image::open(folder.path("out/textures/brick.png")).unwrap();
    assert_eq!(image.into_rgba8().into_raw(), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert!(!folder.path("out/textures/cut.png").exists());
    // Existing files with the same content are kept.
    folder.run("extract a.pmf notes -o out").expect(0);
}

#[test]
fn names_choose_files_and_none_is_written_over() {
    let folder = Folder::new();
    folder.write("a.pmf", with_archive());
    let written = |names: &str, out: &str| {
        folder
            .run(&format!("extract a.pmf {names} --raw -o {out}"))
            .expect(0);
        let has = |path: &str| folder.path(&format!("{out}/{path}")).exists();
        [
            "notes/a.txt",
            "textures/brick.ptf",
            "textures/cut.ptf",
            "textures/brick.png",
        ]
        .map(has)
    };
    assert_eq!(written("notes/a.txt", "b"), [true, false, false, false]);
    assert_eq!(written("textures", "c"), [false, true, true, false]);
    assert_eq!(written("*/b*", "d"), [false, true, false, false]);
    assert_eq!(written("", "e"), [true, true, true, false]);
    let unknown = folder.run("extract a.pmf notes/b.txt -o f").expect(2);
    assert!(
        unknown
            .stderr
            .contains("`notes/b.txt`: not found in the archive"),
        "{unknown:?}"
    );
    assert!(!folder.path("f").exists());

    fs::write(folder.path("b/notes/a.txt"), "mine").unwrap();
    let refused = folder.run("extract a.pmf notes -o b").expect(2);
    assert!(refused.stderr.contains("--force"), "{refused:?}");
    assert_eq!(fs::read(folder.path("b/notes/a.txt")).unwrap(), b"mine");
    folder.run("extract a.pmf notes -o b --force").expect(0);
    assert_eq!(fs::read(folder.path("b/notes/a.txt")).unwrap(), b"one");

    // If one file cannot be written, no file is written.
    folder.write("h", "");
    fs::create_dir(folder.path("i")).unwrap();
    fs::write(folder.path("i/textures"), "mine").unwrap();
    for out in ["h", "i"] {
        let refused = folder
            .run(&format!("extract a.pmf -o {out} --force"))
            .expect(2);
        assert!(refused.stderr.contains("expected a folder"), "{refused:?}");
    }
    assert!(!folder.path("i/notes").exists());
    fs::create_dir_all(folder.path("j/notes/a.txt")).unwrap();
    let refused = folder.run("extract a.pmf -o j --force").expect(2);
    assert!(refused.stderr.contains("expected a file"), "{refused:?}");

    let one = folder.run("extract a.pmf ./notes -o -").expect(0);
    assert_eq!(one.stdout, "one");
    let several = folder.run("extract a.pmf -o -").expect(2);
    assert!(several.stderr.contains("takes one file"), "{several:?}");

    folder.write("a.pfmap", map("grass.png", RAMP));
    let none = folder.run("extract a.pfmap -o g").expect(2);
    assert!(none.stderr.contains("has no archive"), "{none:?}");
}

#[test]
fn a_table_tells_cells_that_were_not_read_from_empty_ones() {
    let empty = Cell {
        tile_id: Cell::NO_TILE,
        ..Cell::default()
    };
    let flags = MapFlags(0);
    let map = MapData {
        flags,
        size: [3, 1],
        cells: vec![empty.encode(flags); 3],
        ..MapData::default()
    };
    let folder = Folder::new();
    let bytes = map_data::write(&map).unwrap();
    folder.write("a.map", &bytes[..bytes.len() - 4]);
    let table = folder.run("export a.map -o - --to csv").expect(1).stdout;
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].ends_with(",zone,not_read"), "{table}");
    let last = |line: &str| line.rsplit(',').next().map(str::to_owned).unwrap();
    assert_eq!([1, 2, 3].map(|line| last(lines[line])), ["", "", "tile"]);
}

#[test]
fn a_table_has_the_palettes_and_priorities_of_cells_whatever_they_are_shown_with() {
    let cell = |palette, priority| Cell {
        tile_id: 3,
        palette,
        priority,
        ..Cell::default()
    };
    let flags = MapFlags(MapFlags::AXIS_SWITCH);
    let cells = [cell(37, 18), cell(200, 0)].map(|cell| cell.encode(flags));
    let map = MapData {
        flags,
        size: [2, 1],
        cells: cells.to_vec(),
        ..MapData::default()
    };
    let folder = Folder::new();
    folder.write("a.map", map_data::write(&map).unwrap());
    let table = folder.run("export a.map -o - --to csv").expect(0).stdout;
    let mut lines = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let headings = lines.next().unwrap();
    let at = |name: &str| {
        headings
            .iter()
            .position(|heading| *heading == name)
            .unwrap()
    };
    let found: Vec<_> = lines
        .map(|line| ["x", "tile", "palette", "priority"].map(|name| line[at(name)]))
        .collect();
    assert_eq!(found, [["0", "3", "37", "18"], ["1", "3", "200", "0"]]);
    let said = folder.run("export a.map -o a.tmx").expect(0).stderr;
    for lost in [
        "The palettes of cells of ",
        "The priority values of cells of ",
    ] {
        assert!(said.contains(lost), "{said}");
    }
}

#[test]
fn a_file_beside_an_export_is_replaced_only_where_that_has_named_it() {
    let folder = Folder::new();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/maps");
    for name in ["harbour.map", "harbour.vsp"] {
        fs::copy(assets.join(name), folder.path(name)).unwrap();
    }
    let tileset = folder.path("a-tileset.png");
    image::RgbaImage::new(3, 3).save(&tileset).unwrap();
    let mine = fs::read(&tileset).unwrap();
    let refused = folder.run("export harbour.map -o a.tmx").expect(2);
    assert!(
        refused.stderr.contains("was not written by an export"),
        "{refused:?}"
    );
    assert_eq!(fs::read(folder.path("a-tileset.png")).unwrap(), mine);
    assert!(!folder.path("a.tmx").exists());
    folder.run("export harbour.map -o a.tmx --force").expect(0);
    let made = fs::read(folder.path("a-tileset.png")).unwrap();
    assert_ne!(made, mine);
    // The existing map names the tileset now, so it is replaced.
    folder.write("a-tileset.png", &mine);
    folder.run("export harbour.map -o a.tmx").expect(0);
    assert_eq!(fs::read(folder.path("a-tileset.png")).unwrap(), made);
}

#[test]
fn a_model_is_mirrored_by_wish_and_nothing_else_is() {
    let folder = Folder::new();
    let model = mapscope_testdata::root().join("assets/models/drakeling.pfobj");
    folder.write("a.pfobj", fs::read(model).unwrap());
    folder.write("a.pfmap", map("grass.png", RAMP));
    let kept = folder.run("export a.pfobj -o a.glb").expect(0);
    assert!(kept.stderr.contains("--mirror"), "{kept:?}");
    let mirrored = folder.run("export a.pfobj -o b.glb --mirror").expect(0);
    assert!(mirrored.stderr.contains("swapped"), "{mirrored:?}");
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    assert_ne!(read("a.glb"), read("b.glb"));
    let refused = folder.run("export a.pfmap -o c.glb --mirror").expect(2);
    assert!(refused.stderr.contains("--mirror"), "{refused:?}");
    assert!(!folder.path("c.glb").exists());
}

#[test]
fn an_export_replaces_only_files_of_its_kind() {
    let folder = Folder::new();
    folder.write("a.pfmap", map("grass.png", RAMP));
    let list = folder.run("export a.pfmap --list --json").expect(0).json();
    assert_eq!(
        (&list["file"], &list["format"]),
        (&json!("a.pfmap"), &json!("pfmap"))
    );
    let endings: Vec<_> = list["targets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| &t["ending"])
        .collect();
    assert_eq!(endings, ["glb", "gltf", "csv"]);

    let refused = folder.run("export a.pfmap -o a.obj").expect(2);
    assert!(
        refused.stderr.contains(".glb, .gltf or .csv"),
        "{refused:?}"
    );
    folder.write("a.glb", "my notes");
    let refused = folder.run("export a.pfmap -o a.glb").expect(2);
    assert!(
        refused.stderr.contains("(--force replaces it)"),
        "{refused:?}"
    );
    assert_eq!(fs::read(folder.path("a.glb")).unwrap(), b"my notes");
    folder.run("export a.pfmap -o a.glb --force").expect(0);
    let glb = fs::read(folder.path("a.glb")).unwrap();
    assert_eq!(glb[..4], *b"glTF");
    // The file has the written format now, and the output is deterministic.
    folder.run("export a.pfmap -o a.glb").expect(0);
    assert_eq!(fs::read(folder.path("a.glb")).unwrap(), glb);

    folder.run("export a.pfmap -o a.model --to glb").expect(0);
    assert_eq!(fs::read(folder.path("a.model")).unwrap(), glb);
    let refused = folder.run("export a.pfmap -o a.glb --to obj").expect(2);
    assert!(
        refused
            .stderr
            .contains("--to obj: expected .glb, .gltf or .csv"),
        "{refused:?}"
    );

    let refused = folder.run("export a.pfmap -o -").expect(2);
    assert!(refused.stderr.contains("--to"), "{refused:?}");
    let table = folder.run("export a.pfmap -o - --to csv").expect(0);
    assert_eq!(
        table.stdout.lines().count(),
        1 + 32 * 32,
        "{}",
        table.stdout
    );
    folder.run("export missing.pfmap -o b.glb").expect(2);
    folder.run("export a.pfmap").expect(2);
}

#[test]
fn the_layout_of_a_material_is_exported_as_large_as_its_texture() {
    let folder = Folder::new();
    let mut model = tiny_model();
    // The second triangle has the second material.
    for (number, corner) in model.vertices.iter_mut().enumerate() {
        corner.material = number as u32 / 3;
        corner.uv = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]][number % 3].map(|at| at * 0.5);
    }
    folder.write("a.pfobj", pfobj::write(&model));
    folder.write("picture1.png", bitmap(8, |_, _| [1, 2, 3]));
    let list = folder.run("export a.pfobj --list").expect(0);
    let line = ".png   PNG: the UV layout of a material: white lines, as large as its texture";
    assert!(list.stdout.contains(line), "{list:?}");

    // The first texture is missing.
    folder.run("export a.pfobj -o first.png").expect(0);
    let drawn = |name: &str| image::open(folder.path(name)).unwrap().into_rgba8();
    assert_eq!(drawn("first.png").dimensions(), (256, 256));
    for name in ["skin1", "1"] {
        let command = format!("export a.pfobj -o second.png --material {name}");
        folder.run(&command).expect(0);
        let image = drawn("second.png");
        assert_eq!(image.dimensions(), (8, 8), "{name}");
        for (x, y, alpha) in [(0, 7, 255), (0, 4, 255), (2, 6, 255), (3, 4, 0), (6, 7, 0)] {
            assert_eq!(image.get_pixel(x, y).0, [alpha; 4], "{x} {y}");
        }
    }
    folder.write("b.pfmap", map("grass.png", RAMP));
    for (command, expected) in [
        (
            "a.pfobj -o c.png --material 2",
            "expected one of `skin0`, `skin1`",
        ),
        (
            "a.pfobj -o c.glb --material 1",
            "only models have layouts, which are .png",
        ),
        (
            "b.pfmap -o c.glb --material 0",
            "only models have layouts, which are .png",
        ),
        (
            "b.pfmap -o c.png",
            "expected a name that ends in .glb, .gltf or .csv",
        ),
    ] {
        let refused = folder.run(&format!("export {command}")).expect(2);
        assert!(refused.stderr.contains(expected), "{refused:?}");
    }
}
