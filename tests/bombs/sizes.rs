//! Sets every number that could be a size, in a small file of every format, to its smallest,
//! largest and middle value in turn. The file is opened and queried as in a window; time and memory
//! must not depend on the declared size.

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use mapscope_formats::ika::{self, map as ika_map, text_map, vsp};
use mapscope_formats::pmf::{self, Packing};
use mapscope_formats::ppe::{MapFlags, map_data};
use mapscope_formats::{pfmap, pfobj};
use mapscope_scene::{
    self, Document, InfoQuery, OpenOptions, OutlineNode, Playhead, Progress, Shown, Source,
};
use mapscope_testdata::{shared, stride, synthesize, tiny_model};

/// Memory limit for opening a file of a few kilobytes, in bytes.
const MAX_BYTES: usize = 300 << 20;
/// CPU time limit. Valid files take much less than a second; a file beyond the limit did work in
/// proportion to its declared size.
const TIMEOUT: Duration = Duration::from_secs(6);

/// The system's allocator, with counters of allocated and peak bytes.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    let now = ALLOCATED.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(now, Relaxed);
}

#[expect(
    unsafe_code,
    reason = "an allocator requires unsafe code; this one forwards every call"
)]
// SAFETY: every call is forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grow(size);
        ALLOCATED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// CPU time of all threads of this process. Unlike wall time, it does not depend on other
/// processes.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // The program's name may contain spaces. After it, the 12th and 13th fields are ticks of a
    // hundredth of a second.
    let fields = stat.rsplit(')').next().unwrap().split_whitespace();
    let ticks = fields
        .skip(11)
        .take(2)
        .map(|field| field.parse::<u64>().unwrap());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

/// Opens files one after the other and records their costs.
struct Trial {
    folder: tempfile::TempDir,
    opened: usize,
    refused: usize,
    /// The slowest file.
    slowest: (Duration, String),
    largest: (usize, String),
}

impl Trial {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            opened: 0,
            refused: 0,
            slowest: Default::default(),
            largest: Default::default(),
        }
    }

    /// Adds a file beside the opened ones.
    fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.folder.path().join(name), bytes).unwrap();
    }

    /// Opens a file and queries everything.
    fn open(&mut self, name: &str, bytes: &[u8], what: &dyn Fn() -> String) {
        let source = Source {
            path: self.folder.path().join(name),
            bytes: bytes.to_vec().into(),
            embedded: &[],
            archive: None,
        };
        let before = ALLOCATED.load(Relaxed);
        PEAK.store(before, Relaxed);
        let begin = cpu_time();
        let opened = mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default());
        match &opened {
            Ok(document) => query_all(&**document),
            Err(_) => self.refused += 1,
        }
        drop(opened);
        let elapsed = cpu_time().saturating_sub(begin);
        let bytes = PEAK.load(Relaxed).saturating_sub(before);
        self.opened += 1;
        let name = || format!("{name}: {}", what());
        assert!(bytes < MAX_BYTES, "{} takes {} MiB", name(), bytes >> 20);
        assert!(elapsed < TIMEOUT, "{} takes {elapsed:?}", name());
        if elapsed > self.slowest.0 {
            self.slowest = (elapsed, name());
        }
        if bytes > self.largest.0 {
            self.largest = (bytes, name());
        }
    }
}

/// Runs the queries of a window and of the commands on a document.
fn query_all(document: &dyn Document) {
    let shown = Shown::default();
    let playhead = Playhead::default();
    let _ = document.info(&InfoQuery {
        tile: Some((1, 1)),
        heights: vec![(0.5, 0.5)],
        cube: Some([0; 5]),
    });
    let outline = document.outline();
    let mut items: Vec<_> = outline.iter().filter_map(|node| node.item).collect();
    items.extend(inner_items(&outline));
    for item in items.into_iter().take(12) {
        let _ = document.properties(item, playhead);
        let _ = (document.summary(item, &shown), document.place(item, &shown));
        let _ = document.contour(item, &shown);
        let _ = document
            .layers()
            .map(|layers| layers.tile_image(item, playhead));
    }
    let mut shown = shown;
    for overlay in document.about().overlays {
        shown
            .overlays
            .set(document.about().overlays, overlay.id, true);
        let _ = document.legends(&shown);
    }
    let shown = Shown::default();
    if let Some(layers) = document.layers() {
        let _ = (layers.layers().len(), layers.tilesets().len());
        let picture = layers.flat(&shown);
        let [width, height] = picture.size();
        let mut row = vec![0; (width as usize * 4).min(1 << 16)];
        for y in [0, height / 2, height - 1] {
            picture.row(y, &mut row);
        }
        let _ = picture.scaled_down(24);
    }
}

/// Items of the first lines below other lines.
fn inner_items(lines: &[OutlineNode]) -> Vec<mapscope_scene::Item> {
    let inner = lines.iter().flat_map(|line| line.children.iter().take(2));
    inner.filter_map(|line| line.item).collect()
}

/// Offset and length of a number in a binary file, in bytes.
#[derive(Debug, Clone, Copy)]
struct Field(usize, usize);

impl Field {
    /// Its smallest, middle and largest values.
    fn values(self) -> Vec<u64> {
        let all = u64::MAX >> (64 - 8 * self.1);
        let mut values = vec![0, 1, all >> 1, all];
        if self.1 > 1 {
            // A value near plausible limits.
            values.push(all.min(5000));
        }
        values.sort_unstable();
        values.dedup();
        values
    }

    fn set(self, bytes: &mut [u8], value: u64) {
        bytes[self.0..self.0 + self.1].copy_from_slice(&value.to_le_bytes()[..self.1]);
    }
}

/// Opens the file with all combinations of values of some fields.
fn combined(trial: &mut Trial, name: &str, bytes: &[u8], fields: &[Field]) {
    let Some((first, rest)) = fields.split_first() else {
        trial.open(name, bytes, &|| format!("{} bytes", bytes.len()));
        return;
    };
    for value in first.values() {
        let mut bytes = bytes.to_vec();
        first.set(&mut bytes, value);
        if rest.is_empty() {
            trial.open(name, &bytes, &|| {
                format!("{first:?} is {value}, {:02x?}", &bytes[..24])
            });
        } else {
            combined(trial, name, &bytes, rest);
        }
    }
}

/// Overwrites words of four bytes within a part of a file, one at a time, `step` bytes apart.
fn every_word(
    trial: &mut Trial,
    name: &str,
    good: &[u8],
    part: std::ops::Range<usize>,
    step: usize,
) {
    for at in part.step_by(step * stride(5)) {
        for value in [0x0100_0000, u32::MAX] {
            let mut bytes = good.to_vec();
            let Some(place) = bytes.get_mut(at..at + 4) else {
                break;
            };
            if place == value.to_le_bytes() {
                continue;
            }
            place.copy_from_slice(&value.to_le_bytes());
            trial.open(name, &bytes, &|| format!("{value:#x} at {at}"));
        }
    }
}

/// Values for integers in texts.
const TEXTS: [&str; 6] = [
    "0",
    "-1",
    "5000",
    "65535",
    "2147483647",
    "99999999999999999999",
];
/// Values for several adjacent numbers at once.
const LARGE_TEXTS: [&str; 3] = ["5000", "65535", "2147483647"];

/// Byte ranges of the integers in a text.
fn numbers_in(text: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'+' | b'/');
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let len = bytes[at..].iter().take_while(|b| is_part(**b)).count();
        let word = &bytes[at..at + len];
        if !word.is_empty() && word.iter().all(u8::is_ascii_digit) {
            ranges.push(at..at + len);
        }
        at += len.max(1);
    }
    ranges
}

/// Changes every number of a text alone, with the next one, and with the next three.
fn every_number(trial: &mut Trial, name: &str, text: &str) {
    let places = numbers_in(text);
    assert!(!places.is_empty(), "{name}");
    for count in [1, 2, 4] {
        let values = if count == 1 {
            &TEXTS[..]
        } else {
            &LARGE_TEXTS[..]
        };
        // With groups of four, each number is still in some group.
        let step = if count == 4 { 2 } else { 1 };
        for group in places.windows(count).step_by(step * stride(3)) {
            for value in values {
                let mut changed = text.to_owned();
                for place in group.iter().rev() {
                    changed.replace_range(place.clone(), value);
                }
                trial.open(name, changed.as_bytes(), &|| {
                    let line = text[..group[0].start].lines().count();
                    format!("{count} numbers from line {line} on are {value}")
                });
            }
        }
    }
}

fn ika_files(trial: &mut Trial) {
    let map = synthesize::ika_map([4, 3], 1, 1);
    let bytes = ika_map::write(&map).unwrap();
    let texts = [&map.tileset, &map.music, &map.render_string];
    let size = 6 + texts.iter().map(|text| 4 + text.len()).sum::<usize>();
    let layers = Field(size + 17, 4);
    combined(
        trial,
        "a.map",
        &bytes,
        &[Field(size, 4), Field(size + 4, 4), layers],
    );
    every_word(trial, "a.map", &bytes, 6..120, 1);
    every_word(trial, "a.map", &bytes, 120..bytes.len(), 3);

    let text = synthesize::ika_text_map([4, 3], 1, 1);
    let text = text_map::write(&text).unwrap();
    let text: String = text
        .iter()
        .map(|byte| char::from(*byte))
        .filter(char::is_ascii)
        .collect();
    every_number(trial, "a.ika-map", &text);

    // A tileset alone, and with a map that uses it.
    let rgba = synthesize::ika_tileset(1);
    let indexed = ika::Vsp {
        tile_size: [3, 2],
        count: 5,
        palette: vec![[9; 3]; 256],
        mask: Some(0),
        pixels: vsp::Pixels::Indexed((0..30).collect()),
        ..rgba.clone()
    };
    let sizes = [Field(3, 2), Field(5, 2), Field(7, 4)];
    for tileset in [rgba, indexed] {
        let good = vsp::write(&tileset).unwrap();
        combined(trial, "a.vsp", &good, &sizes);
        every_word(trial, "a.vsp", &good, 0..12, 1);
        let packed = if tileset.palette.is_empty() { 75 } else { 844 };
        every_word(trial, "a.vsp", &good, packed..packed + 4, 1);
        for value in sizes[0].values() {
            let mut bytes = good.clone();
            for field in &sizes[..2] {
                field.set(&mut bytes, value);
            }
            for count in sizes[2].values() {
                sizes[2].set(&mut bytes, count);
                trial.put(synthesize::IKA_TILESET, &bytes);
                trial.open("b.map", &ika_map::write(&map).unwrap(), &|| {
                    format!("{count} tiles of {value} pixels")
                });
            }
        }
    }
    std::fs::remove_file(trial.folder.path().join(synthesize::IKA_TILESET)).unwrap();
    for version in 2..=5_u8 {
        let mut file = vec![version, 0];
        if version < 4 {
            file.extend([7; 768]);
        }
        let count = Field(file.len(), 2);
        file.extend([2, 0]);
        let packed = Field(file.len(), 4);
        if version % 2 == 1 {
            file.extend(9_u32.to_le_bytes());
            file.extend([0xFF, 250, 5, 0xFF, 250, 5, 0xFF, 12, 5]);
        } else {
            file.extend([1; 1024]);
        }
        file.extend([0; 800]);
        combined(trial, "a.vsp", &file, &[count, packed]);
    }
    let text = "(ika-tileset (version '1.1')(tiles (count 2)(dimensions (width 3)(height 2))\
                (data (format zlib) 'eJxjYGBgAAAABAAB')))";
    every_number(trial, "b.vsp", text);
}

fn ppe_files(trial: &mut Trial) {
    let size = [Field(4, 4), Field(8, 4)];
    for flags in [0, 0x18, 0x9, 0x118, 0x410, 0x3_0819] {
        let map = synthesize::ppe_map([5, 4], MapFlags(flags), 1);
        let bytes = map_data::write(&map).unwrap();
        combined(trial, "c.map", &bytes, &size);
        every_word(trial, "c.map", &bytes, 0..16, 1);
    }
    let map = synthesize::ppe_map([5, 4], MapFlags(8), 1);
    trial.put("d.map", &map_data::write(&map).unwrap());
    for (name, bytes) in pictures() {
        trial.put(name, &bytes);
    }
    every_number(trial, "a.xmf", CONTAINER);
    // Images that declare a larger size than they have.
    for (name, good) in pictures() {
        let (at, bytes, is_little) = match &good[..2] {
            b"\x89P" => ([16, 20], 4, false),
            b"BM" => ([18, 22], 4, true),
            b"\xff\xd8" => {
                let frame = good.windows(2).position(|two| two == [0xFF, 0xC0]).unwrap();
                ([frame + 7, frame + 5], 2, false)
            }
            _ => ([12, 14], 2, true),
        };
        let values = Field(0, bytes).values();
        for width in &values {
            for height in &values {
                let mut lie = good.clone();
                for (at, value) in at.into_iter().zip([width, height]) {
                    let mut number = value.to_le_bytes()[..bytes].to_vec();
                    if !is_little {
                        number.reverse();
                    }
                    lie[at..at + bytes].copy_from_slice(&number);
                }
                if Path::new(name)
                    .extension()
                    .is_some_and(|ending| ending == "png")
                {
                    let crc = crc32fast::hash(&lie[12..29]);
                    lie[29..33].copy_from_slice(&crc.to_be_bytes());
                }
                trial.put(name, &lie);
                let what = || format!("{name} is {width} x {height}");
                trial.open(
                    "b.xmf",
                    CONTAINER.replace("sheet.png", name).as_bytes(),
                    &what,
                );
                let mut terrain = pfmap::read(&synthesize::pfmap(1, 1, 1)).unwrap();
                terrain.materials[0].texture = name.to_owned();
                if [width, height]
                    .iter()
                    .all(|side| [0, 8192, 0xFFFF].contains(*side))
                {
                    trial.open("b.pfmap", &pfmap::write(&terrain), &what);
                }
            }
        }
        trial.put(name, &good);
    }
}

/// A container with every tag that has a number.
const CONTAINER: &str = r#"Metadata {
	Version 1 0
	Resolution 424 240
}
Layer:Tile "ground" 0 16 8 5 4 {
	ScrollRateX 2
	File:MapData "d.map"
	File:TileSource "sheet.png" palShift=2 offset=3 {
		Embed:TileInfo {
			1 0 "grass"
			2 1 "stone"
		}
	}
}
Layer:Tile "sky" 1 16 8 2 1 {
	Embed:MapData [AQAAAAIAAhA=]
	Shared:TileData 0
}
Layer:Sprite "things" 2 {
	File:SpriteSource 3 "sheet.png" horizOffset=1 vertOffset=2 width=3 height=4
	File:SpriteSource 4 "sheet.png"
	File:SpriteSheet "colors.png" {
		SheetData {
			5 1 2 3 4
		}
	}
	File:Palette "sheet.png" palShift=2 offset=4
	Object:Sprite "a" 1 3 16 20 palSel=1 palShift=4 scaleHoriz=2048 scaleVert=512 masterAlpha=250
	Object:Sprite "b" 2 5 16 20 lrCornerX=40 lrCornerY=44
	Object:QuadSprite "c" 3 4 1 2 30 4 5 60 70 80
	Object:Box "d" 4 16 17 48 49
	Object:Polyline "e" 5 {
		Begin 1 2
		Segment 3 4 { Bezier 5 6 }
	}
	Object:Quad "f" 6 0 0 10 0 0 10 10 10
}
Embed:Palette [/wECA4AEBQY=] offset=768
"#;

/// An image of each type, 32 pixels wide and 16 high.
fn pictures() -> Vec<(&'static str, Vec<u8>)> {
    let mut indexed = Vec::new();
    let mut encoder = png::Encoder::new(&mut indexed, 32, 16);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(vec![1, 2, 3, 40, 50, 60]);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[1; 512]).unwrap();
    writer.finish().unwrap();
    let image = image::DynamicImage::new_rgb8(32, 16);
    let write = |format| {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    };
    let mut numbers = vec![0, 1, 1, 0, 0, 2, 0, 24, 0, 0, 0, 0, 32, 0, 16, 0, 8, 0];
    numbers.extend([7; 6]);
    numbers.extend([1; 512]);
    let mut packed = numbers[..24].to_vec();
    packed[2] = 9;
    packed.extend([0xFF, 1].repeat(4));
    vec![
        ("sheet.png", indexed),
        ("colors.png", write(image::ImageFormat::Png)),
        ("colors.bmp", write(image::ImageFormat::Bmp)),
        ("colors.jpg", write(image::ImageFormat::Jpeg)),
        ("colors.tga", write(image::ImageFormat::Tga)),
        ("numbers.tga", numbers),
        ("packed.tga", packed),
    ]
}

fn engine_files(trial: &mut Trial) {
    let map = String::from_utf8(synthesize::pfmap(1, 1, 1).clone()).unwrap();
    // The rest is tiles.
    let head: usize = map
        .split_inclusive('\n')
        .take_while(|line| !line.contains('+'))
        .map(str::len)
        .sum();
    for (range, value) in numbers_in(&map[..head])
        .into_iter()
        .flat_map(|range| TEXTS.map(|value| (range.clone(), value)))
    {
        let mut changed = map.clone();
        changed.replace_range(range.clone(), value);
        trial.open("a.pfmap", changed.as_bytes(), &|| {
            format!("{value} at {}", range.start)
        });
    }
    for value in TEXTS {
        for other in TEXTS {
            let line = |name: &str, value: &str| format!("{name} {value}\n");
            let rows_and_cols = [line("num_rows", "1"), line("num_cols", "1")].concat();
            assert!(map.contains(&rows_and_cols));
            let lie = [line("num_rows", value), line("num_cols", other)].concat();
            let changed = map.replace(&rows_and_cols, &lie);
            trial.open("a.pfmap", changed.as_bytes(), &|| {
                format!("{value} x {other} chunks")
            });
        }
    }
    let model = String::from_utf8(pfobj::write(&tiny_model())).unwrap();
    every_number(trial, "a.pfobj", &model);
}

fn levels(trial: &mut Trial) {
    let map = synthesize::pmf([1, 1, 1], 0, 3);
    let bytes = pmf::write(&map, Packing::Stored).unwrap();
    every_word(trial, "a.pmf", &bytes, 0..bytes.len(), 5);
}

/// Runs in a separate process, because memory of other tests must not count.
#[test]
fn no_size_of_a_file_costs_what_it_promises() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "sizes::in_a_process_of_its_own",
            "--exact",
            "--ignored",
            "--nocapture",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{errors}");
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "another test runs it in a process of its own"]
fn in_a_process_of_its_own() {
    type Files = fn(&mut Trial);
    let formats: [(&str, Files); 4] = [
        ("ika", ika_files),
        ("PixelPerfectEngine", ppe_files),
        ("Permafrost Engine", engine_files),
        ("levels", levels),
    ];
    for (name, files) in formats {
        let begin = Instant::now();
        let mut trial = Trial::new();
        files(&mut trial);
        let Trial {
            opened,
            refused,
            slowest,
            largest,
            ..
        } = &trial;
        println!(
            "{name}: {opened} files, of which {refused} are refused, in {:?}\n  slowest {:?}: {}\n  \
             largest {} KiB: {}",
            begin.elapsed(),
            slowest.0,
            slowest.1,
            largest.0 >> 10,
            largest.1
        );
        assert!(
            opened - refused > opened / 20,
            "{name}: {opened} files, {refused} refused"
        );
    }
    if let Some(sample) = sample() {
        let mut trial = Trial::new();
        let bytes = std::fs::read(&sample).unwrap();
        trial.open("sample.vsp", &bytes, &|| sample.display().to_string());
        assert_eq!(trial.refused, 1, "nothing of that size is there");
    }
}

/// A tileset from another program that has no tiles and declares huge ones.
fn sample() -> Option<std::path::PathBuf> {
    shared("samples/tilemaps/malformed/vsp6_no_tiles_huge_size.vsp")
}

/// Fields are written at their offset, in their length.
#[test]
fn values_are_set_where_they_are() {
    let mut bytes = [0; 6];
    Field(1, 2).set(&mut bytes, 0x1234);
    assert_eq!(bytes, [0, 0x34, 0x12, 0, 0, 0]);
    assert!(Field(0, 2).values().contains(&0xFFFF) && Field(0, 4).values().contains(&0xFFFF_FFFF));
    let text = "a 12 1.5 x3 4 5/6 -7";
    let found: Vec<&str> = numbers_in(text)
        .into_iter()
        .map(|place| &text[place])
        .collect();
    assert_eq!(found, ["12", "4", "7"]);
}
