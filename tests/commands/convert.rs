//! `mapscope convert`: files in other versions and packings of their format.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use mapscope_formats::ika::map;
use mapscope_formats::ika::text_map::{self, TextMap};
use mapscope_formats::ika::vsp::{self, Pixels, Vsp};
use mapscope_formats::pfmap::{self, Splat};
use mapscope_formats::pmf::{self, Packing};
use mapscope_formats::ppe::{MapFlags, map_data};
use mapscope_formats::ptf::{Layout, Texture};
use mapscope_testdata::synthesize;

use super::folder::{Folder, Outcome};

/// A map of version 1.2 with two splats.
fn terrain() -> Vec<u8> {
    let mut map = pfmap::read(&synthesize::pfmap(1, 1, 1)).unwrap();
    map.version = "1.2".to_owned();
    map.splats = vec![Splat { base: 1, accent: 0 }, Splat { base: 0, accent: 1 }];
    pfmap::write(&map)
}

#[test]
fn what_would_be_lost_is_listed_and_nothing_is_written() {
    let folder = Folder::new();
    folder.write("new.pfmap", terrain());
    let refused = folder.run("convert new.pfmap old.pfmap --to 1.0").expect(2);
    assert_eq!(refused.stdout, "");
    let expected = "error: old.pfmap: not written, because data would be lost (--lossy writes it \
                    anyway):\n  2 splats are left out: version 1.0 does not support them\n";
    assert_eq!(refused.stderr, expected);
    assert!(!folder.path("old.pfmap").exists());
    let lossy = folder
        .run("convert new.pfmap old.pfmap --to 1.0 --lossy")
        .expect(0);
    let bytes = fs::read(folder.path("old.pfmap")).unwrap();
    let expected = format!(
        "2 splats are left out: version 1.0 does not support them\n\
         old.pfmap: Permafrost Engine map, version 1.0, {} bytes\n",
        bytes.len()
    );
    assert!(lossy.stderr.starts_with(&expected), "{lossy:?}");
    assert!(bytes.starts_with(b"version 1.0\nnum_materials "));
    // A map without splats loses none.
    folder
        .run("convert old.pfmap again.pfmap --to 1.2")
        .expect(0);
    folder
        .run("convert again.pfmap third.pfmap --to 1.0")
        .expect(0);
    folder.run("diff old.pfmap third.pfmap").expect(0);
}

#[test]
fn files_of_other_formats_and_those_that_are_read_are_not_replaced() {
    let folder = Folder::new();
    folder.write("a.pfmap", terrain());
    folder.write("b.pfmap", "a text");
    folder.write("c.pfmap", synthesize::pfmap(1, 1, 2));
    let refused = folder.run("convert a.pfmap b.pfmap").expect(2);
    assert!(
        refused
            .stderr
            .contains("not a Permafrost Engine map file (--force"),
        "{refused:?}"
    );
    assert_eq!(fs::read(folder.path("b.pfmap")).unwrap(), b"a text");
    folder.run("convert a.pfmap b.pfmap --force").expect(0);
    folder.run("convert a.pfmap c.pfmap").expect(0);
    for name in ["b.pfmap", "c.pfmap"] {
        assert!(fs::read(folder.path(name)).unwrap() == terrain(), "{name}");
    }
    let refused = folder.run("convert a.pfmap ./a.pfmap --force").expect(2);
    assert!(refused.stderr.contains("never overwritten"), "{refused:?}");
    let refused = folder.run("convert a.pfmap a.pmf").expect(2);
    assert!(
        refused
            .stderr
            .contains("expected a name that ends in .pfmap"),
        "{refused:?}"
    );
    folder.run("convert a.pfmap no/such/b.pfmap").expect(2);
    let refused = folder.run("convert a.pfmap d.pfmap --to 1.3").expect(2);
    let words = ["--to 1.3", "`1.3`", "expected 1.0,"];
    assert!(
        words.iter().all(|word| refused.stderr.contains(word)),
        "{refused:?}"
    );
    assert!(!folder.path("d.pfmap").exists());
}

#[test]
fn layout_and_compression_are_asked_for_together() {
    let folder = Folder::new();
    let mut old = synthesize::ppe_map([5, 3], MapFlags(0), 1);
    for cell in &mut old.cells {
        *cell &= 0xFF03_FFFF;
    }
    let old = map_data::write(&old).unwrap();
    folder.write("old.map", &old);
    for to in ["--to new,zstd", "--to new --to zlib", "--to rle,new"] {
        let written = folder
            .run(&format!("convert old.map new.map {to}"))
            .expect(0);
        assert!(written.stderr.contains("new layout, "), "{written:?}");
        folder
            .run("convert new.map back.map --to old,none")
            .expect(0);
        assert!(fs::read(folder.path("back.map")).unwrap() == old, "{to}");
    }
    let both = folder
        .run("convert old.map new.map --to rle,zlib")
        .expect(2);
    assert!(
        both.stderr.contains("both select the compression"),
        "{both:?}"
    );
}

#[test]
fn the_ending_says_which_map_of_ika_and_the_tileset_how_large_tiles_are() {
    let folder = Folder::new();
    let mut made_up = synthesize::ika_map([8, 6], 2, 2);
    made_up.entities.clear();
    for zone in &mut made_up.zones {
        let name = zone.name.clone();
        *zone = map::Zone {
            name,
            ..map::Zone::default()
        };
    }
    for zone in made_up.zones.iter_mut().skip(1) {
        zone.chance_percent = 100;
    }
    let bytes = map::write(&made_up).unwrap();
    folder.write("a.map", &bytes);
    let refused = folder.run("convert a.map a.ika-map").expect(2);
    assert!(
        refused.stderr.contains("the tileset was not found"),
        "{refused:?}"
    );
    let tileset = vsp::write(&synthesize::ika_tileset(1)).unwrap();
    folder.write(synthesize::IKA_TILESET, tileset);
    let written = folder.run("convert a.map a.ika-map").expect(0);
    assert!(
        written.stderr.contains("ika map (text), version 1.2"),
        "{written:?}"
    );
    assert!(
        fs::read(folder.path("a.ika-map"))
            .unwrap()
            .starts_with(b"(ika-map ")
    );
    folder.run("convert a.ika-map b.map").expect(0);
    assert!(fs::read(folder.path("b.map")).unwrap() == bytes);
    let refused = folder.run(&format!(
        "convert a.map {} --force --to 1.2",
        synthesize::IKA_TILESET
    ));
    assert!(
        refused
            .expect(2)
            .stderr
            .contains("expected a name that ends in ")
    );
}

#[test]
fn a_map_that_is_drawn_otherwise_loses_its_image_with_the_number_of_cells() {
    let folder = Folder::new();
    let [clear, half, full] = [[255, 255, 255, 0], [9, 8, 7, 128], [1, 2, 3, 255]];
    let tileset = Vsp {
        tile_size: [1, 1],
        count: 3,
        pixels: Pixels::Rgba([clear, half, full].concat()),
        ..Vsp::default()
    };
    folder.write("t.vsp", vsp::write(&tileset).unwrap());
    let layer = |label: &str, tiles: [u32; 6]| text_map::Layer {
        label: label.to_owned(),
        size: [3, 2],
        tiles: tiles.to_vec(),
        obstructions: vec![0; 6],
        ..text_map::Layer::default()
    };
    let text = |tiles| TextMap {
        size: [3, 2],
        tileset: "t.vsp".to_owned(),
        layers: vec![layer("Layer 0", tiles), layer("Layer 1", [0; 6])],
        ..TextMap::default()
    };
    folder.write("same.ika-map", text_map::write(&text([2; 6])).unwrap());
    let same = folder.run("convert same.ika-map same.map").expect(0);
    assert!(!same.stderr.contains("image"), "{same:?}");
    // If an upper tile hides the change, the image does not change.
    let mut other = text([2, 2, 0, 1, 0, 2]);
    other.layers[1].tiles[4] = 2;
    folder.write("other.ika-map", text_map::write(&other).unwrap());
    let other = folder.run("convert other.ika-map other.map").expect(2);
    let expected = "\n  the image changes in 2 cells, the first at 2,0: binary maps draw";
    assert!(other.stderr.contains(expected), "{other:?}");
    folder
        .run("convert other.ika-map other.map --lossy")
        .expect(0);
}

#[test]
fn textures_become_images_with_the_same_channels_and_back() {
    let folder = Folder::new();
    for texture in synthesize::ptfs() {
        let written = texture.write().unwrap();
        folder.write("a.ptf", &written);
        folder.run("convert a.ptf a.png").expect(0);
        let png = fs::read(folder.path("a.png")).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&png))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!([info.width, info.height], [texture.width, texture.height]);
        assert_eq!(info.color_type.samples(), usize::from(texture.channels));
        assert!(pixels == texture.pixels);
        let layout = format!("v{}", texture.layout);
        folder
            .run(&format!("convert a.png b.ptf --to {layout}"))
            .expect(0);
        assert!(fs::read(folder.path("b.ptf")).unwrap() == written);
        // The ending selects the newest layout.
        folder.run("convert a.png b.ptf").expect(0);
        let newest = Texture::read(&fs::read(folder.path("b.ptf")).unwrap()).unwrap();
        assert_eq!(newest.layout, Layout::V3);
        assert!(newest.pixels == texture.pixels);
    }
}

#[test]
fn textures_change_their_layout() {
    let folder = Folder::new();
    let grey = synthesize::ptf(Layout::V3, [8, 8], 2);
    folder.write("a.ptf", grey.write().unwrap());
    let done = folder.run("convert a.ptf b.ptf --to v1").expect(0);
    assert!(
        done.stderr
            .contains("grey pixels become red, green and blue"),
        "{done:?}"
    );
    let square = Texture::read(&fs::read(folder.path("b.ptf")).unwrap()).unwrap();
    assert_eq!((square.layout, square.channels), (Layout::V1, 4));
    assert!(square.into_rgba() == grey.into_rgba());
    folder.write(
        "c.ptf",
        synthesize::ptf(Layout::V3, [8, 4], 3).write().unwrap(),
    );
    let refused = folder.run("convert c.ptf d.ptf --to v1").expect(2);
    assert!(refused.stderr.contains("expected a square"), "{refused:?}");
}

#[test]
fn images_that_cannot_be_textures_are_refused_with_a_size_that_can() {
    let folder = Folder::new();
    let mut image = Vec::new();
    let mut encoder = png::Encoder::new(&mut image, 100, 64);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[7; 100 * 64 * 2]).unwrap();
    writer.finish().unwrap();
    folder.write("a.png", &image);
    let refused = folder.run("convert a.png a.ptf").expect(2);
    assert!(refused.stderr.contains("such as 128 x 64"), "{refused:?}");
    let refused = folder.run("convert a.png b.png").expect(2);
    assert!(refused.stderr.contains("ends in .ptf"), "{refused:?}");
    folder.write("cut.png", &image[..60]);
    let refused = folder.run("convert cut.png a.ptf").expect(2);
    assert!(refused.stderr.contains("cannot be read"), "{refused:?}");
    let listed = folder.run("convert a.png --list").expect(0);
    assert!(
        listed.stdout.contains("v3") && !listed.stdout.contains("png"),
        "{listed:?}"
    );
}

#[test]
fn files_go_through_pipes() {
    let folder = Folder::new();
    let stored = pmf::write(&synthesize::pmf([1, 1, 1], 2, 1), Packing::Stored).unwrap();
    let packed = pmf::write(&synthesize::pmf([1, 1, 1], 2, 1), Packing::Compressed).unwrap();
    let mut command = folder.command();
    command.args(["convert", "-", "-", "--to", "stored"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(&packed).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout == stored);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("-: PlatinumSrc map, stored, "), "{told}");
}

#[test]
fn forms_are_listed_and_broken_files_refused() {
    let folder = Folder::new();
    folder.write(
        "a.pmf",
        pmf::write(&synthesize::pmf([1, 1, 1], 1, 1), Packing::Stored).unwrap(),
    );
    let listed = folder.run("convert a.pmf --list").expect(0).stdout;
    assert!(
        listed.starts_with("packing\n  compressed  Sections"),
        "{listed}"
    );
    let text = terrain();
    folder.write("cut.pfmap", &text[..text.len() / 2]);
    let Outcome { stderr, .. } = folder.run("convert cut.pfmap whole.pfmap").expect(1);
    assert!(stderr.contains("[pfmap/missing-tiles]"), "{stderr}");
    assert!(!folder.path("whole.pfmap").exists());
    folder.run("convert none.pfmap whole.pfmap").expect(2);
}
