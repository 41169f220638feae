//! Images of any size, parts of them, and animations.

use std::fs;
use std::io::Cursor;

use image::{Rgba, RgbaImage};
use mapscope_formats::ika::{map as ika_map, vsp};
use mapscope_formats::pfobj;
use mapscope_scene::demo;
use mapscope_testdata::{Need, skip, synthesize, tiny_model};

use super::folder::Folder;

fn picture(folder: &Folder, args: &str) -> RgbaImage {
    folder.run(&format!("render {args} -o a.png")).expect(0);
    image::open(folder.path("a.png")).unwrap().into_rgba8()
}

fn flat(args: &str) -> RgbaImage {
    picture(&Folder::new(), &format!("demo:village --view flat {args}"))
}

/// `true` if a graphics adapter is available.
fn has_gpu() -> bool {
    let drawn = Folder::new().run("render demo:drakeling -o a.png --size 8x8");
    if drawn.status == Some(0) {
        return true;
    }
    skip(Need::Gpu, drawn.stderr.trim());
    false
}

#[test]
fn a_region_of_a_flat_map_is_cut_out_and_its_pixels_made_larger() {
    let whole = flat("");
    assert_eq!(whole.dimensions(), (768, 576));
    let region = flat("--region 10,4,6,5");
    let cut = image::imageops::crop_imm(&whole, 160, 64, 96, 80).to_image();
    assert!(region == cut, "{:?}", region.dimensions());
    let scaled = flat("--region 10,4,6,5 --scale 3");
    let larger = RgbaImage::from_fn(288, 240, |x, y| *cut.get_pixel(x / 3, y / 3));
    assert!(scaled == larger, "{:?}", scaled.dimensions());
}

#[test]
fn an_attached_model_is_in_the_picture_and_follows_its_joint() {
    if !has_gpu() {
        return;
    }
    let folder = Folder::new();
    folder.write("sword.pfobj", pfobj::write(&tiny_model()));
    let view = "demo:drakeling --size 96x64 --camera 20,12,20,0,3,0 --clip Walk";
    let drawn = |args: &str| picture(&folder, &format!("{view} {args}"));
    let (plain, head) = (drawn(""), drawn("--attach head=sword.pfobj"));
    let both = drawn("--attach head=sword.pfobj --attach tail.4=sword.pfobj");
    assert!(plain != head && head != both && plain != both);
    let differing = |a: &RgbaImage, b: &RgbaImage| {
        let pixels = a.enumerate_pixels().zip(b.pixels());
        let places = pixels
            .filter(|((.., a), b)| a != b)
            .map(|((x, y, _), _)| [x, y]);
        places.collect::<Vec<_>>()
    };
    let later = ["", "--attach head=sword.pfobj"].map(|it| drawn(&format!("--frame 8 {it}")));
    let moved = differing(&later[0], &later[1]);
    assert!(!moved.is_empty() && moved != differing(&plain, &head));
    let whole = |args: &str| {
        let drawn = format!("demo:drakeling --size 96x64 {args}");
        picture(&folder, &drawn)
    };
    assert!(
        whole("") != whole("--attach root=sword.pfobj"),
        "and is framed"
    );
}

#[test]
fn layers_are_shown_alone_and_left_out() {
    let info = Folder::new()
        .run("info demo:village --json")
        .expect(0)
        .json();
    let layers = info["layers"].as_array().unwrap();
    let label = layers[0]["label"].as_str().unwrap().to_owned();
    assert!(layers.len() > 1, "{info:#}");
    let whole = flat("");
    let alone = flat("--layer 0");
    assert!(alone != whole);
    let folder = Folder::new();
    let args = [
        "render",
        "demo:village",
        "-o",
        "a.png",
        "--view",
        "flat",
        "--layer",
        &label,
    ];
    folder.run_args(args).expect(0);
    let named = image::open(folder.path("a.png")).unwrap().into_rgba8();
    assert!(alone == named, "by its name");
    let others: Vec<String> = (1..layers.len())
        .map(|layer| format!("--hide-layer {layer}"))
        .collect();
    assert!(alone == flat(&others.join(" ")));
    let all: Vec<String> = (0..layers.len())
        .map(|layer| format!("--layer {layer}"))
        .collect();
    assert!(whole == flat(&all.join(" ")));
}

/// A flat picture has the map's own pixels unless the overlay for unread parts is requested.
#[test]
fn what_was_not_read_is_outlined_where_that_is_asked_for() {
    let folder = Folder::new();
    let bytes = ika_map::write(&synthesize::ika_map([10, 8], 2, 1)).unwrap();
    let block = &ika_map::read(&bytes).unwrap().layers[1].block;
    let half = u64::midpoint(block.start, block.end);
    folder.write("cut.map", &bytes[..half as usize]);
    let drawn = |args: &str| {
        folder.run(&format!("render cut.map --view flat {args} -o a.png"));
        image::open(folder.path("a.png")).unwrap().into_rgba8()
    };
    let [plain, outlined] = ["", "--overlay left-out"].map(drawn);
    assert_eq!(plain.dimensions(), outlined.dimensions());
    let changed = plain.pixels().zip(outlined.pixels());
    let changed = changed.filter(|(a, b)| a != b).count();
    assert!(changed > 50, "{changed} pixels of lines");
}

#[test]
fn where_a_flat_map_has_nothing_it_is_transparent() {
    let (plain, transparent) = (flat("--layer 1"), flat("--layer 1 --transparent"));
    let mut counts = [0; 2];
    for (plain, transparent) in plain.pixels().zip(transparent.pixels()) {
        let Rgba([r, g, b, a]) = *transparent;
        match a {
            0 => assert_eq!(plain.0, [0, 0, 0, 255]),
            255 => assert_eq!(plain.0, [r, g, b, 255]),
            // Over black, it equals the picture with background.
            _ => {
                for (straight, plain) in [r, g, b].iter().zip(plain.0) {
                    let over_black = u32::from(*straight) * u32::from(a) / 255;
                    assert!(over_black.abs_diff(plain.into()) <= 1);
                }
            }
        }
        counts[usize::from(a > 0)] += 1;
    }
    assert!(counts[0] > 1000 && counts[1] > 1000, "{counts:?}");
}

#[test]
fn a_picture_of_a_model_is_transparent_around_it() {
    if !has_gpu() {
        return;
    }
    let folder = Folder::new();
    let args = "demo:drakeling --view south --size 60x40";
    let plain = picture(&folder, args);
    let transparent = picture(&folder, &format!("{args} --transparent"));
    assert!(plain.pixels().all(|pixel| pixel.0[3] == 255));
    assert_eq!(transparent.get_pixel(0, 0).0, [0; 4]);
    let same = plain.pixels().zip(transparent.pixels());
    let same = same.filter(|(a, b)| a == b).count();
    assert!(same > 100, "{same} pixels are of the model");
    let doubled = picture(&folder, &format!("{args} --scale 2"));
    assert_eq!(doubled.dimensions(), (120, 80));
}

#[test]
fn a_picture_of_a_difference_has_both_files_and_the_pixels_that_differ() {
    if !has_gpu() {
        return;
    }
    let folder = Folder::new();
    let map = mapscope_formats::pfmap::read(&synthesize::pfmap(1, 1, 1)).unwrap();
    let mut changed = map.clone();
    for tile in &mut changed.tiles[300..340] {
        *tile = mapscope_formats::pfmap::Tile::parse(b"0+0900000000100001111000").unwrap();
    }
    for (name, map) in [("a.pfmap", &map), ("b.pfmap", &changed)] {
        folder.write(name, mapscope_formats::pfmap::write(map));
    }
    let view = "--size 90x60 --view iso";
    let diff =
        |b: &str, args: &str| folder.run(&format!("diff a.pfmap {b} --picture {view} {args}"));
    let output = diff("b.pfmap", "-o d.png --json").expect(1).json();
    let both = image::open(folder.path("d.png")).unwrap().into_rgba8();
    assert_eq!(both.dimensions(), (270, 60));
    let third = |at: u32| image::imageops::crop_imm(&both, at * 90, 0, 90, 60).to_image();
    let [before, after, changes] = [0, 1, 2].map(third);
    assert!(before == picture(&folder, &format!("a.pfmap {view}")));
    let pixels = before.pixels().zip(after.pixels());
    let differ: Vec<bool> = pixels.map(|(before, after)| before != after).collect();
    let count = differ.iter().filter(|differs| **differs).count();
    assert!(count > 50, "{count}");
    assert_eq!(output["changed_px"], count);
    assert_eq!(output["size"], serde_json::json!([90, 60]));
    let pink = Rgba([255, 64, 160, 255]);
    let marked: Vec<bool> = changes.pixels().map(|pixel| *pixel == pink).collect();
    assert_eq!(marked, differ);
    let same = diff("a.pfmap", "-o d.png --json").expect(0).json();
    assert_eq!(same["changed_px"], 0);
    // Neither a file of another format, nor a file that was read.
    folder.write("c.pfobj", pfobj::write(&tiny_model()));
    let refused = diff("c.pfobj", "-o e.png").expect(2);
    assert!(
        refused.stderr.contains("expected two files of one format"),
        "{refused:?}"
    );
    diff("b.pfmap", "-o b.pfmap --force").expect(2);
}

/// Names are the same on every picture, and nothing else is added.
#[test]
fn joints_entities_and_zones_are_named_where_that_is_asked_for() {
    if !has_gpu() {
        return;
    }
    let folder = Folder::new();
    for args in [
        "demo:drakeling --view south --size 240x160",
        "demo:bathhouse --size 240x160 --view top",
        "demo: --size 240x160",
        "demo:village --view flat --region 0,0,30,20",
        "demo:station --size 240x160 --view top",
    ] {
        let plain = picture(&folder, args);
        let named = picture(&folder, &format!("{args} --labels"));
        assert_eq!(plain.dimensions(), named.dimensions());
        let differing = plain.pixels().zip(named.pixels()).filter(|(a, b)| a != b);
        let differing = differing.count();
        assert!(differing > 100, "{args}: {differing}");
        assert!(
            named == picture(&folder, &format!("{args} --labels")),
            "{args}"
        );
    }
    let nameless = folder
        .run("render demo:terrain -o b.png --labels")
        .expect(2);
    assert!(
        nameless.stderr.contains("this file has none"),
        "{nameless:?}"
    );
    // At twice the scale, the letters are twice as large.
    let count = |args: &str| {
        let transparent = format!("demo:drakeling --view south --size 90x60 --transparent {args}");
        let picture = picture(&folder, &transparent);
        picture.pixels().filter(|pixel| pixel.0[3] > 0).count() as f64
    };
    let names = |scale: &str| count(&format!("{scale} --labels")) - count(scale);
    let ratio = names("--scale 2") / names("");
    assert!((2.0..7.0).contains(&ratio), "{ratio}");
    let names = |scale: &str| {
        let args = format!("demo:village --view flat --region 0,0,30,20 {scale}");
        let plain = picture(&folder, &args);
        let named = picture(&folder, &format!("{args} --labels"));
        let differing = plain.pixels().zip(named.pixels()).filter(|(a, b)| a != b);
        differing.count() as f64
    };
    let ratio = names("--scale 2") / names("");
    assert!((3.0..5.0).contains(&ratio), "{ratio}");
}

/// A turntable of a model, as one file of each type, as one file per view, and as raw bytes.
#[test]
fn a_turntable_becomes_files_of_each_kind() {
    if !has_gpu() {
        return;
    }
    let folder = Folder::new();
    let render = |rest: &str| {
        let args = format!("render demo:drakeling --size 48x32 --turntable 4 {rest}");
        folder.run(&args).expect(0)
    };
    render("-o turn_%02d.png");
    let views = [0, 1, 2, 3].map(|number| {
        let path = folder.path(&format!("turn_{number:02}.png"));
        image::open(path).unwrap().into_rgba8()
    });
    for (number, view) in views.iter().enumerate() {
        assert!(!views[..number].contains(view), "view {number} is another");
    }
    render("-o turn.apng --fps 10");
    let bytes = fs::read(folder.path("turn.apng")).unwrap();
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let frames = reader.info().animation_control().unwrap().num_frames;
    assert_eq!(frames, 4);
    for view in &views {
        let mut pixels = vec![0; 48 * 32 * 4];
        reader.next_frame(&mut pixels).unwrap();
        assert!(pixels == **view.as_raw());
        let control = reader.info().frame_control().unwrap();
        let seconds = f32::from(control.delay_num) / f32::from(control.delay_den);
        assert!((seconds - 0.1).abs() < 1e-6);
    }
    render("-o turn.gif");
    let file = fs::File::open(folder.path("turn.gif")).unwrap();
    let mut gif = gif::DecodeOptions::new().read_info(file).unwrap();
    let mut count = 0;
    while gif.read_next_frame().unwrap().is_some() {
        count += 1;
    }
    assert_eq!((gif.width(), gif.height(), count), (48, 32, 4));
    let mut command = folder.command();
    let args = "render demo:drakeling --size 48x32 --turntable 4 -o - --raw";
    command.args(args.split(' '));
    let raw = command.output().unwrap();
    let expected: Vec<u8> = views.iter().flat_map(RgbaImage::as_raw).copied().collect();
    assert!(raw.status.success() && raw.stdout == expected);
}

#[test]
fn an_animation_of_tiles_is_one_loop() {
    let folder = Folder::new();
    // 3 tiles of 8 ticks and 4 of 6: a loop of 24 ticks, or 5.76 frames.
    let mut tileset = synthesize::ika_tileset(1);
    tileset.strands.fill(vsp::Strand::default());
    for (place, [start, finish, delay]) in [[0, 2, 8], [3, 6, 6]].into_iter().enumerate() {
        tileset.strands[place] = vsp::Strand {
            start,
            finish,
            delay,
            mode: 0,
        };
    }
    folder.write(synthesize::IKA_TILESET, vsp::write(&tileset).unwrap());
    let map = synthesize::ika_map([8, 6], 2, 2);
    folder.write("a.map", ika_map::write(&map).unwrap());
    let info = folder.run("info a.map --json").expect(0).json();
    assert_eq!(info["loop_s"], 0.24);
    let text = folder.run("info a.map").expect(0).stdout;
    assert!(text.contains("Tile animation loop  0.24 s"), "{text}");
    folder.run("render a.map -o a.apng --view flat").expect(0);
    let file = fs::File::open(folder.path("a.apng")).unwrap();
    let reader = png::Decoder::new(std::io::BufReader::new(file)).read_info();
    let frames = reader
        .unwrap()
        .info()
        .animation_control()
        .unwrap()
        .num_frames;
    assert_eq!(frames, 6);
    let still = folder.run("info demo:station --json").expect(0).json();
    assert!(still["loop_s"].is_null(), "{still}");
}

#[test]
fn a_camera_flies_along_the_poses_of_a_file() {
    if !has_gpu() {
        return;
    }
    let folder = Folder::new();
    folder.write(
        "way.txt",
        "# from the south, then from above\n0,20,60,0,5,0\n\n40,30,40,0,5,0 # and on\n60,60,1,0,5,0\n",
    );
    let args =
        "render demo:drakeling --size 48x32 --camera-path way.txt --path-views 3 -o way_%d.png";
    folder.run(args).expect(0);
    for (number, pose) in ["0,20,60,0,5,0", "40,30,40,0,5,0", "60,60,1,0,5,0"]
        .iter()
        .enumerate()
    {
        let view = image::open(folder.path(&format!("way_{number}.png"))).unwrap();
        let there = picture(
            &folder,
            &format!("demo:drakeling --size 48x32 --camera {pose}"),
        );
        assert!(view.into_rgba8() == there, "{number}");
    }
}

/// A picture that is larger than any adapter's limit has all its rows.
#[test]
fn a_picture_beyond_the_limit_of_the_device_is_made_in_parts() {
    if !has_gpu() {
        return;
    }
    let picture = picture(&Folder::new(), "demo:drakeling --view south --size 40000x4");
    assert_eq!(picture.dimensions(), (40_000, 4));
    let middle = picture.get_pixel(20_000, 2);
    assert_ne!(middle, picture.get_pixel(10, 2));
}

#[test]
fn what_makes_no_sense_is_said_before_anything_is_drawn() {
    let folder = Folder::new();
    folder.write("bad.txt", "0,1,2,3,4,5\n1,2,x,4,5,6\n");
    folder.write("one.txt", "0,1,2,3,4,5\n");
    // The village without its fourth layer.
    let mut village = ika_map::read(&demo::VILLAGE.source().bytes).unwrap();
    village.render_string = "12E3R".to_owned();
    folder.write("village.map", ika_map::write(&village).unwrap());
    for (args, word) in [
        (
            "demo:village -o a.png --view flat --region 40,0,9,1",
            "48 x 36 tiles",
        ),
        (
            "demo:village -o a.png --view flat --region 0,0,0,1",
            "at least one",
        ),
        (
            "demo:village -o a.png --view top --region 0,0,1,1",
            "--view flat",
        ),
        (
            "demo:village -o a.png --view flat --layer nothing",
            "layer `nothing` not found",
        ),
        (
            "village.map -o a.png --view flat --layer 3",
            "layers that the map does not draw: 3",
        ),
        (
            "demo:village -o a.png --view flat --turntable 4",
            "not possible with --view flat",
        ),
        ("demo:terrain -o a.png --layer 0", "2D map"),
        ("demo:drakeling -o a.png --scale 0", "from 1 to 64"),
        (
            "demo:village -o a.png --view flat --region -1,0,2,2",
            "expected 4 comma-separated whole numbers from 0",
        ),
        (
            "demo:drakeling -o a.png --fps 12",
            "--fps needs an animation",
        ),
        (
            "demo:drakeling -o a_%d.png --turntable 4 --fps 12",
            "--fps needs an animation",
        ),
        ("demo:drakeling -o a.png --size 60000x9 --scale 2", "65536"),
        ("demo:drakeling -o a.png --turntable 4", "walk.apng"),
        (
            "demo:drakeling -o a.png --turntable 4 --view top",
            "not possible from straight above",
        ),
        ("demo:drakeling -o a.gif --turntable 4 --fps 0", "1 to 50"),
        ("demo:terrain -o a.gif", "an animation needs several images"),
        (
            "demo:drakeling -o a.gif --frame 3",
            "an animation needs several images",
        ),
        (
            "demo:terrain -o a.apng --frames 0..3",
            "--frames: this file has no animation",
        ),
        (
            "demo:terrain -o a.jpg",
            "ends in .png, or in .apng or .gif for an animation",
        ),
        (
            "demo:drakeling -o a_%02d.gif --turntable 4",
            "--output a_%02d.gif: numbered images are PNG files",
        ),
        (
            "demo:drakeling -o a_%02d.jpg --turntable 4",
            "ends in .apng or .gif",
        ),
        (
            "demo:drakeling -o no/such/a.gif --turntable 4",
            "no such folder",
        ),
        ("demo:drakeling -o a.png --raw", "-o -"),
        (
            "demo:drakeling -o a.gif --camera-path bad.txt",
            "line 2: expected a number, found `x`",
        ),
        (
            "demo:drakeling -o a.gif --camera-path one.txt",
            "at least two poses",
        ),
        ("demo:drakeling -o a.gif --camera-path none.txt", "none.txt"),
    ] {
        let outcome = folder.run(&format!("render {args}")).expect(2);
        assert!(outcome.stderr.contains(word), "{args}: {outcome:?}");
        assert!(
            !folder.path("a.png").exists() && !folder.path("a.gif").exists(),
            "{args}"
        );
    }
}

/// A full disk is reported in the program's own words, for every image output.
#[cfg(target_os = "linux")]
#[test]
fn system_errors_are_reported_without_error_numbers() {
    let folder = Folder::new();
    for output in ["/dev/full", "-", "- --raw"] {
        let mut command = folder.command();
        let args = format!("render demo:village --view flat -o {output}");
        command.args(args.split(' '));
        command.stdout(fs::File::create("/dev/full").unwrap());
        let outcome = command.output().unwrap();
        let said = String::from_utf8(outcome.stderr).unwrap();
        assert!(said.contains(": the disk is full\n"), "{output}: {said}");
        assert_eq!(outcome.status.code(), Some(2));
    }
}

/// Sends a signal in the middle of an image. Returns the command's status and the time until it
/// ended. Asserts that neither partial nor temporary files remain.
#[cfg(unix)]
fn interrupt(args: &str, signal: &str) -> (Option<i32>, std::time::Duration) {
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    let mut command = folder.command();
    let mut child = command.args(args.split(' ')).spawn().unwrap();
    let files = || fs::read_dir(folder.path("")).unwrap().count();
    let started = Instant::now();
    while files() == 0 && child.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(files(), 1, "a temporary file is there");
    let pid = child.id().to_string();
    let mut kill = std::process::Command::new("kill");
    let sent = kill.args(["-s", signal, &pid]).status();
    let at = Instant::now();
    assert!(sent.unwrap().success());
    let status = child.wait().unwrap().code();
    assert_eq!(files(), 0);
    (status, at.elapsed())
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_half_file() {
    for signal in ["INT", "TERM", "HUP"] {
        let args = "render demo:village -o a.png --view flat --scale 32";
        assert_eq!(interrupt(args, signal).0, Some(2), "{signal}");
    }
}

/// A single draw takes long here and cannot be stopped midway.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_long_draw() {
    let args = "render synthetic:scene:5000 -o a.png --size 4096x4096";
    let (status, went_on) = interrupt(args, "TERM");
    assert_eq!(status, Some(2));
    // One second if nothing else runs.
    assert!(went_on < std::time::Duration::from_secs(5), "{went_on:?}");
}

/// Ctrl+C ends a command that waits for the reader of a pipe.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_the_wait_for_a_reader() {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::Command;
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    let made = Command::new("mkfifo").arg(folder.path("a.png")).status();
    assert!(made.unwrap().success());
    let mut command = folder.command();
    let args = "render demo:village -o a.png --view flat";
    let mut child = command.args(args.split(' ')).spawn().unwrap();
    // The command waits once its only thread sleeps and uses no more CPU time (proc(5): state,
    // utime and stime).
    let stat = format!("/proc/{}/stat", child.id());
    let started = Instant::now();
    let mut before = String::new();
    loop {
        std::thread::sleep(Duration::from_millis(300));
        let now = fs::read_to_string(&stat).unwrap();
        let fields: Vec<&str> = now.split(' ').collect();
        let now = [fields[2], fields[13], fields[14]].join(" ");
        if now == before && now.starts_with('S') {
            break;
        }
        before = now;
        assert!(started.elapsed() < Duration::from_mins(1));
    }
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.unwrap().success());
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(child.wait().unwrap().signal(), Some(2));
}

#[test]
fn a_map_outside_of_its_picture_is_no_picture() {
    let folder = Folder::new();
    let map = "(ika-map (version '1.2') (header (dimensions (width '32') (height '32')) (tileset 't.vsp')) \
               (layers (layer (type 'tile') (label 'a') (dimensions (width '2') (height '2')) \
               (position (x '-3000') (y '-9')) (data (format 'zlib') 'eJxjYEAFAAAQAAE='))))";
    folder.write("a.ika-map", map);
    folder.run("info a.ika-map").expect(0);
    for args in [
        "render --view flat a.ika-map -o a.png",
        "thumbnail --size 64 a.ika-map a.png",
    ] {
        let outcome = folder.run(args);
        assert_eq!(outcome.status, Some(2), "{args}: {}", outcome.stderr);
        assert!(!folder.path("a.png").exists());
    }
}

#[test]
fn commands_of_the_window_change_the_picture_as_options_do() {
    if !has_gpu() {
        return;
    }
    let folder = Folder::new();
    let args = "demo:terrain --camera 100,200,100,20,0,-50 --size 80x50";
    let commands = "--run overlay.wireframe;overlay.pathable;overlay.wireframe";
    let by_commands = picture(&folder, &format!("{args} {commands}"));
    let by_options = picture(&folder, &format!("{args} --overlay pathable"));
    assert!(by_commands == by_options);
    for (commands, fault) in [
        ("camera.top;xyzzy", "command 2, `xyzzy`"),
        ("animation.play", "command 1, `animation.play`"),
        ("copy-picture", "command 1, `copy-picture`"),
    ] {
        let line = format!("render demo:terrain -o b.png --run {commands}");
        let refused = folder.run(&line).expect(2);
        assert!(refused.stderr.contains(fault), "{}", refused.stderr);
        assert!(!folder.path("b.png").exists());
    }
}
