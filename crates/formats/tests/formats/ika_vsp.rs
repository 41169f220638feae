//! ika's tilesets: faults of a file, and how it is read.

use std::io::Write as _;
use std::ops::ControlFlow;

use mapscope_formats::ika::vsp::{FORMAT, Pixels, STRANDS, Strand, Vsp, read, read_with, write};
use mapscope_formats::{Problem, ReadError, Severity};
use mapscope_testdata::synthesize;

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn made_up() -> Vsp {
    synthesize::ika_tileset(3)
}

/// A tileset with a palette.
fn indexed(mask: u8, greatest: u8) -> Vsp {
    let mut palette: Vec<[u8; 3]> = (0..=255).map(|i: u8| [i / 4, 63 - i / 4, i % 64]).collect();
    palette[9] = [greatest, 1, 2];
    let mut strands = vec![Strand::default(); STRANDS];
    strands[99] = Strand {
        start: 1,
        finish: 4,
        delay: 7,
        mode: 3,
    };
    Vsp {
        tile_size: [3, 2],
        count: 5,
        palette,
        mask: Some(mask),
        pixels: Pixels::Indexed((0..30).collect()),
        strands,
        ..made_up()
    }
}

fn messages(vsp: &Vsp) -> Vec<String> {
    vsp.problems.iter().map(Problem::facts).collect()
}

#[track_caller]
fn one(vsp: &Vsp, severity: Severity, with: &str) {
    let [problem] = &vsp.problems[..] else {
        panic!("{:?}", messages(vsp))
    };
    assert_eq!(problem.severity, severity, "{problem}");
    assert!(problem.facts().contains(with), "{}", problem.facts());
}

#[track_caller]
fn refused(bytes: &[u8], with: &str) {
    let error = read(bytes).unwrap_err().problem().unwrap().facts();
    assert!(error.contains(with), "{error}");
}

/// A VERGE file with two tiles and these pixels, compressed or not.
fn verge(version: u16, pixels: &[u8]) -> Vec<u8> {
    let mut bytes = version.to_le_bytes().to_vec();
    if version < 4 {
        bytes.extend((0..768_u32).map(|i| (i % 64) as u8));
    }
    bytes.extend(2_u16.to_le_bytes());
    if matches!(version, 3 | 5) {
        bytes.extend((pixels.len() as u32).to_le_bytes());
    }
    bytes.extend(pixels);
    let mut strands = [0; STRANDS * 8];
    strands[2] = 1;
    bytes.extend(strands);
    bytes
}

#[test]
fn tilesets_come_back() {
    for vsp in [made_up(), indexed(0, 0)] {
        let bytes = write(&vsp).unwrap();
        assert!((FORMAT.sniff)(&bytes));
        let back = read(&bytes).unwrap();
        assert_eq!(messages(&back), [""; 0]);
        assert!(back.active_strands().count() > 0);
        let strands_at = vsp.strands_at;
        assert_eq!(Vsp { strands_at, ..back }, vsp);
    }
}

#[test]
fn palettes_are_shown_in_eight_bits() {
    let vsp = indexed(0, 63);
    let rgba = vsp.rgba();
    assert_eq!(rgba.len(), 30 * 4);
    assert_eq!(rgba[..4], [0, 252, 0, 0]);
    assert_eq!(rgba[4 * 9..][..4], [252, 4, 8, 255]);
    // If one value has more than 6 bits, all have 8 bits.
    let vsp = indexed(0, 64);
    assert_eq!(vsp.rgba()[4 * 9..][..4], [64, 1, 2, 255]);
    assert_eq!(vsp.rgba()[..4], [0, 63, 0, 0]);

    let back = read(&write(&indexed(7, 0)).unwrap()).unwrap();
    one(&back, Severity::Warning, "vsp/transparent-color: 0 7");
    let rgba = back.rgba();
    assert_eq!((rgba[3], rgba[4 * 7 + 3]), (255, 0));
}

#[test]
fn tilesets_of_verge_are_read() {
    let bytes = verge(2, &[5; 512]);
    let vsp = read(&bytes).unwrap();
    assert_eq!(messages(&vsp), [""; 0]);
    assert_eq!(
        (vsp.tile_size, vsp.count, vsp.pixels.bytes_per_pixel()),
        ([16, 16], 2, 1)
    );
    assert_eq!(vsp.rgba()[..4], [15 << 2, 16 << 2, 17 << 2, 255]);
    assert_eq!(vsp.active_strands().count(), 1);
    assert_eq!(vsp.version.to_string(), "2");

    let vsp = read(&verge(3, &[0xFF, 255, 5, 0xFF, 255, 6, 0, 0xFF, 1, 0xFF])).unwrap();
    assert_eq!(messages(&vsp), [""; 0]);
    let Pixels::Indexed(indices) = &vsp.pixels else {
        panic!("{vsp:?}")
    };
    assert_eq!(
        (indices[254], indices[255], indices[510], indices[511]),
        (5, 6, 0, 255)
    );

    let word = (0b11111_00001_00010_u16).to_le_bytes();
    let vsp = read(&verge(4, &word.repeat(512))).unwrap();
    assert_eq!(messages(&vsp), [""; 0]);
    assert_eq!((vsp.pixels.bytes_per_pixel(), vsp.pixels.len()), (2, 512));
    assert_eq!(vsp.rgba()[..4], [248, 8, 16, 255]);

    let run = |count: u16, value: u16| [0xFF00 | count, value].map(u16::to_le_bytes);
    let pixels = [run(255, 0xF822), run(255, 0), run(2, 1)].concat().concat();
    let vsp = read(&verge(5, &pixels)).unwrap();
    assert_eq!(messages(&vsp), [""; 0]);
    assert_eq!(vsp.rgba()[..4], [248, 4, 16, 255]);
    assert_eq!(vsp.rgba()[4 * 300..][..4], [0, 0, 0, 0]);
    assert_eq!(vsp.rgba()[4 * 511..], [0, 0, 8, 255]);
    // A file of another length is another format with the same first number.
    for (version, bytes) in [(2, 512), (3, 30), (4, 1024), (5, 30)] {
        let file = verge(version, &vec![1; bytes]);
        assert!((FORMAT.sniff)(&file), "{version}");
        assert!(!(FORMAT.sniff)(&file[1..]) && !(FORMAT.sniff)(&[&file[..], b"x"].concat()));
    }
}

#[test]
fn text_tilesets_are_read() {
    let pixels: Vec<u8> = (0..2 * 3 * 2 * 4).collect();
    let base64 = data_encoding::BASE64.encode(&zlib(&pixels));
    let text = format!(
        "(ika-tileset (version '1.1')(information (title 'Grass')(meta (by Ann)(year '2004')))\n(tiles (count '2')\
         (dimensions (width 3)(height 2))(data (format zlib) '{base64}')))"
    );
    let vsp = read(text.as_bytes()).unwrap();
    assert!((FORMAT.sniff)(text.as_bytes()));
    assert_eq!((vsp.tile_size, vsp.count), ([3, 2], 2));
    assert_eq!(
        (vsp.description.as_str(), vsp.version.to_string().as_str()),
        ("Grass", "1.1")
    );
    let meta = [("by", "Ann"), ("year", "2004")];
    assert_eq!(
        vsp.meta,
        meta.map(|(key, value)| (key.to_owned(), value.to_owned()))
    );
    assert_eq!(*vsp.rgba(), pixels);
    assert!(vsp.strands.is_empty());
    // The engine's warning for missing spaces after names does not apply here.
    assert_eq!(messages(&vsp), [""; 0]);
    refused(b"(ika-tileset )", "ika/missing-node: tiles");
    let lie = text.replace("(count '2')", "(count '2000000000')");
    refused(
        lie.as_bytes(),
        "vsp/tile-count: 2 2000000000 3 4194304 67108864",
    );
    let lie = text.replace("(width 3)", "(width 3000)");
    refused(lie.as_bytes(), "vsp/tile-size: 1 1024 2 3000");
    for (from, to, expected) in [
        ("'1.1'", "'2.0'", "ika/version, read: 1.0 1.1 2.0"),
        ("(version '1.1')", "", "ika/version, read: 1.0 1.1"),
        ("(format zlib)", "(format raw)", "ika/value, read: raw zlib"),
    ] {
        let read = read(text.replace(from, to).as_bytes()).unwrap();
        assert_eq!(*read.rgba(), pixels);
        one(&read, Severity::Warning, expected);
    }
    let less = text.replace("(count '2')", "(count '3')");
    one(
        &read(less.as_bytes()).unwrap(),
        Severity::Error,
        "ika/block: 48 72",
    );
}

#[test]
fn broken_tilesets_are_answered() {
    refused(b"", "ika/truncated: 2");
    refused(&[7, 0, 4], "vsp/version: 2 6 7");
    refused(b"VSP\0\x06\0\0\0", "ika/verge: 2 3 6");
    let bytes = write(&made_up()).unwrap();
    let with = |at: usize, new: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + new.len()].copy_from_slice(new);
        bytes
    };
    refused(&with(2, &[3]), "vsp/pixel-format: 1 3 4");
    refused(&with(3, &[0, 0]), "vsp/tile-size: 0 1 1024 16");
    refused(&with(7, &[255; 4]), "vsp/tile-count: -1 0");
    for size in [[0, 4, 1, 4], [255; 4], [1, 4, 1, 0]] {
        refused(&with(3, &size), "vsp/tile-size");
        // The same without any tiles of such a size.
        let none = [size, [0; 4]].concat();
        refused(&with(3, &none), "vsp/tile-size");
    }
    refused(
        &with(7, &[0, 0, 16, 0]),
        "vsp/tile-count: 1048576 16 4194304 67108864",
    );
    assert!(!(FORMAT.sniff)(&with(2, &[3])) && !(FORMAT.sniff)(&bytes[..100]));

    let vsp = read(&with(79, &[0, 0])).unwrap();
    one(&vsp, Severity::Error, "ika/block: 0 65536");
    assert!(vsp.rgba().is_empty());
    let no_strands = &bytes[..bytes.len() - 800];
    one(
        &read(no_strands).unwrap(),
        Severity::Warning,
        "vsp/strand: 100",
    );
    let cut = read(&bytes[..bytes.len() - 790]).unwrap();
    one(&cut, Severity::Error, "ika/truncated (Tileset): 1 2");
    assert_eq!(cut.strands.len(), 1);
    let half = read(&bytes[..bytes.len() / 2]).unwrap();
    assert!(!half.rgba().is_empty());
    assert!(half.rgba().len() < made_up().rgba().len());
    one(&half, Severity::Error, "ika/truncated: 13756 26791");
    let below: Vec<_> = half.problems[0]
        .consequences
        .iter()
        .map(|problem| problem.rule.id)
        .collect();
    assert_eq!(below, ["ika/block", "vsp/strand"]);
    let more = [&bytes[..], &[0; 5]].concat();
    one(
        &read(&more).unwrap(),
        Severity::Warning,
        "ika/trailing-data: 5",
    );

    let mut vsp = made_up();
    vsp.strands[5] = Strand {
        start: 3,
        finish: 64,
        delay: 1,
        mode: 4,
    };
    let back = read(&write(&vsp).unwrap()).unwrap();
    assert_eq!(back.problems.len(), 2, "{:?}", messages(&back));
    assert!(
        back.problems[0]
            .facts()
            .contains("vsp/strand (Tileset): 3 5 63 64")
    );
    assert!(
        back.problems[1]
            .facts()
            .contains("vsp/strand (Tileset): 0 3 4 5")
    );

    let short = read(&verge(3, &[1, 2, 3])).unwrap();
    one(&short, Severity::Error, "ika/block: 3 512");
    let long = read(&verge(3, &[0xFF, 255, 5, 0xFF, 255, 6, 0xFF, 3, 1])).unwrap();
    one(&long, Severity::Warning, "ika/long-block: 512");
    let mut stop = |_| ControlFlow::Break(());
    assert_eq!(read_with(&bytes, &mut stop), Err(ReadError::Cancelled));
}

#[test]
fn what_cannot_be_written_is_said() {
    let failed = |change: fn(&mut Vsp)| {
        let mut vsp = indexed(0, 0);
        change(&mut vsp);
        write(&vsp).unwrap_err().to_string()
    };
    assert_eq!(failed(|vsp| vsp.count = 6), "pixels: 30, but 6 tiles");
    assert_eq!(
        failed(|vsp| vsp.description = "d".repeat(64)),
        "description: 64 bytes, but at most 63 and none of them 0"
    );
    assert!(failed(|vsp| vsp.palette.truncate(3)).starts_with("palette: 3 colours"));
    assert!(failed(|vsp| vsp.strands.push(Strand::default())).starts_with("strands: 101"));
    // 16 bits become 32.
    let high = Vsp {
        pixels: Pixels::Rgb565((0..30).collect()),
        ..indexed(0, 0)
    };
    let back = read(&write(&high).unwrap()).unwrap();
    assert_eq!(back.rgba(), high.rgba());
}

#[test]
fn a_wrong_size_of_the_pixels_is_one_problem() {
    let good = write(&made_up()).unwrap();
    let whole = read(&good).unwrap();
    // After version, pixel format, size, number and description.
    let size_at = 75;
    let size = u32::from_le_bytes(good[size_at..size_at + 4].try_into().unwrap());
    let near = [1, 2, 3, 4, 8, 16, 400, 792, 800];
    let wrong = near.iter().flat_map(|by| [size - by, size + by]);
    for wrong in wrong.chain([0, 1 << 30]) {
        let mut bytes = good.clone();
        bytes[size_at..size_at + 4].copy_from_slice(&wrong.to_le_bytes());
        let vsp = read(&bytes).unwrap();
        one(&vsp, Severity::Error, "vsp/pixels-size, read: ");
        assert_eq!(vsp.problems[0].rule.id, "vsp/pixels-size");
        assert!(
            vsp.pixels == whole.pixels && vsp.strands == whole.strands,
            "{wrong}"
        );
        assert_eq!((vsp.pixels_not_read, vsp.strands_not_read), (None, None));
    }
    // A truncated file is not reported as a wrong size.
    let cut = read(&good[..good.len() - 797]).unwrap();
    assert_eq!(cut.problems[0].rule.id, "ika/truncated");
    assert!(cut.strands_not_read.is_some() && cut.pixels_not_read.is_none());
}

#[test]
fn numbers_stay_as_they_are() {
    let whole = made_up();
    let bytes = write(&whole).unwrap();
    let with = |at: usize, new: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + new.len()].copy_from_slice(new);
        read(&bytes).unwrap()
    };
    for count in [1, 6, 63_u32] {
        let vsp = with(7, &count.to_le_bytes());
        one(&vsp, Severity::Warning, "ika/long-block");
        assert_eq!((vsp.count, &vsp.strands), (count, &whole.strands));
        let pixels = vsp.rgba();
        assert!(pixels.len() == count as usize * 16 * 16 * 4);
        assert!(whole.rgba().starts_with(&pixels));
    }
    let vsp = with(7, &65_u32.to_le_bytes());
    one(&vsp, Severity::Error, "ika/block: 65536 66560");
    assert_eq!((vsp.count, vsp.rgba()), (65, whole.rgba()));
    let vsp = with(3, &8_u16.to_le_bytes());
    assert_eq!(vsp.tile_size, [8, 16]);
}

#[test]
fn complete_pixels_need_no_checksum() {
    let pixels = vec![0; 64 * 16 * 16 * 4];
    let packed = zlib(&pixels);
    let blank = Vsp {
        pixels: Pixels::Rgba(pixels),
        ..made_up()
    };
    let packed = &packed[..packed.len() - 4];
    let bytes = write(&blank).unwrap();
    let size = (packed.len() as u32).to_le_bytes();
    let strands = &bytes[bytes.len() - 800..];
    for behind in [&[][..], &[1, 2, 3]] {
        let file = [&bytes[..75], &size, packed, strands, behind].concat();
        let vsp = read(&file).unwrap();
        assert_eq!(
            vsp.problems.len(),
            behind.len().min(1),
            "{:?}",
            messages(&vsp)
        );
        assert_eq!((&vsp.pixels, &vsp.strands), (&blank.pixels, &blank.strands));
    }
}
