//! Tests of the reader and the writer.

use super::read::{DIRECTORY, ENTRY_BYTES, FILE, LINK, LZ4, MAX_DEPTH};
use super::write::put;
use super::*;
use crate::{Problem, Problems, Severity};

const START: u64 = 0x1000;

fn read(bytes: &[u8]) -> (Archive, Vec<Problem>) {
    let mut problems = Problems::new();
    let archive = Archive::read_embedded(bytes, START, &mut problems);
    (archive, problems.finish())
}

#[track_caller]
fn sound(bytes: &[u8]) -> Archive {
    let (archive, problems) = read(bytes);
    assert_eq!(problems, []);
    archive
}

/// Reads an archive with exactly one fault.
#[track_caller]
fn warned(bytes: &[u8], at: usize, with: &str) -> Archive {
    let (archive, problems) = read(bytes);
    let place = Place::Offset(START + at as u64);
    let [problem] = &problems[..] else {
        panic!("{problems:?}");
    };
    assert!(
        problem.place == place
            && problem.severity == Severity::Warning
            && problem.facts().contains(with),
        "{}",
        problem.facts()
    );
    archive
}

fn file<'a>(path: &'a str, bytes: &'a [u8], compress: bool) -> NewFile<'a> {
    NewFile {
        path,
        bytes,
        compress,
    }
}

fn bytes_of(archive: &Archive, path: &str) -> Vec<u8> {
    let index = archive.find(path).expect(path);
    archive.file(index).unwrap().unwrap().to_vec()
}

fn p2(files: &[NewFile<'_>]) -> Vec<u8> {
    write(files, WrittenLayout::P2).unwrap()
}

/// An archive assembled record by record.
struct Raw(Vec<u8>);

impl Raw {
    fn new() -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0; 8]);
        Self(bytes)
    }

    fn here(&self) -> u32 {
        self.0.len() as u32
    }

    fn numbers(&mut self, numbers: &[u32]) -> u32 {
        let at = self.here();
        put(&mut self.0, numbers);
        at
    }

    fn string(&mut self, text: &[u8]) -> u32 {
        let len = text.len() as u32;
        let at = self.numbers(&[len, len, 0]);
        self.0.extend(text);
        at
    }

    /// A file in one piece.
    fn file(&mut self, bytes: &[u8]) -> u32 {
        let at = self.here();
        self.0.push(0);
        let len = bytes.len() as u32;
        self.numbers(&[len, 0, len, 0]);
        self.0.extend(bytes);
        at
    }

    fn entries(&mut self, entries: &[(u8, u32, u32)]) {
        for (kind, name, target) in entries {
            self.0.push(*kind);
            self.numbers(&[*name, 0, *target]);
        }
    }

    /// A directory in one piece.
    fn directory(&mut self, entries: &[(u8, u32, u32)]) -> u32 {
        let count = entries.len() as u32;
        let at = self.numbers(&[count, count, 0]);
        self.entries(entries);
        at
    }

    fn set(&mut self, at: u32, number: u32) {
        self.0[at as usize..][..4].copy_from_slice(&number.to_le_bytes());
    }

    fn root(mut self, at: u32) -> Vec<u8> {
        self.set(4, at);
        self.0
    }
}

#[test]
fn what_is_written_reads_back_the_same() {
    let long = [7; 5000];
    let files = [
        file("textures/brick.ptf", &long, true),
        file("textures/wood/oak.ptf", b"oak", false),
        file("readme.txt", b"Hello", false),
        file("textures/wood/empty", b"", true),
        file("z/none", b"", false),
    ];
    let bytes = p2(&files);
    let archive = sound(&bytes);
    assert_eq!(*archive.bytes(), bytes);
    let mut paths: Vec<_> = files.iter().map(|file| file.path).collect();
    paths.sort_unstable();
    assert_eq!(archive.file_paths(), paths);
    for file in files {
        assert_eq!(bytes_of(&archive, file.path), file.bytes);
    }
    let again: Vec<_> = paths.iter().map(|path| bytes_of(&archive, path)).collect();
    let again: Vec<_> = paths
        .iter()
        .zip(&again)
        .map(|(path, bytes)| {
            let index = archive.find(path).unwrap();
            let Content::File(record) = &archive.entries()[index].content else {
                panic!("{path}");
            };
            file(path, bytes, record.is_compressed)
        })
        .collect();
    assert_eq!(p2(&again), bytes);
    assert_eq!(sound(&p2(&[])).entries(), []);
    assert_eq!(sound(&[]).entries(), []);
}

#[test]
fn paths_that_an_archive_cannot_have_are_not_written() {
    let deep = ["a"; MAX_DEPTH + 1].join("/");
    let long = "a".repeat(MAX_NAME_BYTES + 1);
    for path in [
        "", "/", "/a", "a/", "../x", "a/../b", ".", "a\\b", "a\0", &deep, &long,
    ] {
        let error = Archive::build(&[file(path, b"", false)]).unwrap_err();
        assert_eq!(error.record, format!("archive: file `{path}`"));
    }
    for paths in [["a", "a"], ["a", "a/b"], ["a/b", "a"]] {
        let files = paths.map(|path| file(path, b"", false));
        let error = Archive::build(&files).unwrap_err().to_string();
        assert!(error.starts_with(&format!("archive: file `{}`: ", paths[1])));
    }
}

#[test]
fn names_have_the_checksum_of_the_format() {
    // From an archive of the samples.
    assert_eq!(name_crc(b"readme.txt"), 0xC1D3_E37E);
    assert_eq!(name_crc(b"textures"), 0xC0A5_667F);
}

#[test]
fn resources_are_found_as_the_fact_sheet_says() {
    let archive = sound(&p2(&[
        file("textures/brick.ptf", b"1", false),
        file("textures/brick", b"2", false),
        file("wood.ptf", b"3", false),
        file("textures/wood.ptf", b"4", false),
        file("textures/plain", b"5", false),
    ]));
    let found = |path: &str| {
        let index = archive.find_texture(path)?;
        Some(archive.file(index).unwrap().unwrap()[0] - b'0')
    };
    assert_eq!(found("textures/brick"), Some(1));
    assert_eq!(found("brick"), Some(1));
    assert_eq!(found("map:/textures/brick"), Some(1));
    assert_eq!(found("map://brick"), Some(1));
    assert_eq!(found("brick.ptf"), Some(1));
    assert_eq!(found("wood"), Some(3));
    assert_eq!(found("plain"), Some(5));
    assert_eq!(found("textures"), None);
    assert_eq!(found("stone"), None);
    assert_eq!(found(""), None);
    assert_eq!(found("map:/"), None);
    assert_eq!(found("../brick"), None);
    assert_eq!(found("textures/wood/../brick"), None);
    assert_eq!(found("textures/../wood"), Some(3));
}

#[test]
fn parts_are_put_together() {
    let mut raw = Raw::new();
    let frame = lz4::pack(b"brick brick brick brick");
    let (first, second) = frame.split_at(9);
    let name = raw.numbers(&[5, 2, 0]);
    raw.0.extend(b"br");
    let rest = raw.numbers(&[3, 0]);
    raw.0.extend(b"ick");
    raw.set(name + 8, rest);
    let at = raw.here();
    raw.0.push(1);
    raw.numbers(&[frame.len() as u32, 23, first.len() as u32, 0]);
    raw.0.extend(first);
    let next = raw.numbers(&[second.len() as u32, 0, at]);
    raw.0.extend(second);
    raw.set(at + 13, next);
    let other = raw.file(b"other");
    let other_name = raw.string(b"other");
    // A directory with a spare entry slot and a second part.
    let root = raw.numbers(&[2, 1, 0]);
    raw.entries(&[(FILE, name, at)]);
    let part = raw.numbers(&[6, 0]);
    raw.entries(&[(FILE, other_name, other)]);
    raw.set(root + 8, part);
    let archive = sound(&raw.root(root));
    assert_eq!(archive.file_paths(), ["brick", "other"]);
    assert_eq!(bytes_of(&archive, "brick"), b"brick brick brick brick");
    assert_eq!(bytes_of(&archive, "other"), b"other");
    let brick = &archive.entries()[0];
    assert_eq!((brick.at, brick.parent), (root + 12, None));
}

#[test]
fn heads_are_checked() {
    let bytes = p2(&[file("a", b"b", false)]);
    for cut in 1..12 {
        warned(
            &bytes[..cut],
            if cut < 4 { 0 } else { cut },
            "pmf/archive: ",
        );
    }
    let mut wrong = bytes.clone();
    wrong[3] = 1;
    warned(&wrong, 0, "pmf/archive: 00 01 41 46 50");
    for root in [bytes.len() as u32, u32::MAX] {
        let mut raw = Raw(bytes.clone());
        raw.set(4, root);
        let archive = warned(&raw.0, root as usize, "pmf/archive");
        assert_eq!(archive.entries(), []);
    }
}

#[test]
fn directories_do_not_go_in_circles() {
    let mut raw = Raw::new();
    let name = raw.string(b"again");
    let inner_at = raw.here();
    raw.numbers(&[2, 2, 0]);
    raw.entries(&[(DIRECTORY, name, 0), (DIRECTORY, name, 0)]);
    let root = raw.directory(&[(DIRECTORY, name, inner_at)]);
    // The first entry of the inner directory is the root.
    raw.set(inner_at + 12 + 9, root);
    raw.set(inner_at + 12 + 13 + 9, inner_at);
    let (archive, problems) = read(&raw.root(root));
    assert_eq!(archive.entries().len(), 1);
    let found: Vec<_> = problems.iter().map(|it| it.rule.id).collect();
    assert_eq!(found, ["pmf/archive"; 2]);
}

#[test]
fn directory_counts_are_not_trusted() {
    let mut raw = Raw::new();
    let root = raw.numbers(&[u32::MAX, u32::MAX, 0]);
    warned(&raw.root(root), root as usize, " 4294967295");

    // A part whose next part is itself: its second pass finds the name already there.
    let mut raw = Raw::new();
    let name = raw.string(b"a");
    let other = raw.string(b"b");
    let file = raw.file(b"1");
    let root = raw.numbers(&[5, 1, 0]);
    raw.entries(&[(FILE, name, file)]);
    let part = raw.numbers(&[1, 0]);
    raw.entries(&[(FILE, other, file)]);
    raw.set(root + 8, part);
    raw.set(part + 4, part);
    let archive = warned(&raw.root(root), root as usize, "pmf/archive: 2 5");
    assert_eq!(archive.file_paths(), ["a", "b"]);

    for (part, with) in [([0, 0], "pmf/archive: 1 5"), ([1, 0], "pmf/archive: 2 5")] {
        let mut raw = Raw::new();
        let name = raw.string(b"a");
        let other = raw.string(b"b");
        let file = raw.file(b"b");
        let root = raw.numbers(&[5, 1, 0]);
        raw.entries(&[(FILE, name, file)]);
        let part = raw.numbers(&part);
        raw.entries(&[(FILE, other, file)]);
        raw.set(root + 8, part);
        warned(&raw.root(root), root as usize, with);
    }
}

#[test]
fn bad_names_are_left_out() {
    for name in [&b"../x"[..], b"..", b".", b"", b"a/b", b"a\0b"] {
        let mut raw = Raw::new();
        let bad = raw.string(name);
        let good = raw.string(b"good");
        let file = raw.file(b"1");
        let root = raw.directory(&[(FILE, bad, file), (FILE, good, file)]);
        let archive = warned(&raw.root(root), root as usize + 12, "pmf/archive-entry");
        assert_eq!(archive.file_paths(), ["good"]);
    }
}

#[test]
fn names_may_hold_a_backslash_and_links_lead_any_way() {
    let mut raw = Raw::new();
    let name = raw.string(br"a\b");
    let link = raw.string(b"link");
    let way = ["./".repeat(200), r"a\b".to_owned()].concat();
    let way = raw.string(way.as_bytes());
    let file = raw.file(b"found");
    let root = raw.directory(&[(FILE, name, file), (LINK, link, way)]);
    let mut problems = Problems::new();
    let archive = Archive::read_embedded(&raw.root(root), 0, &mut problems);
    assert_eq!(problems.finish(), []);
    let found = archive.find("link").unwrap();
    assert_eq!(archive.entries()[found].name, r"a\b");
    assert_eq!(&*archive.file(found).unwrap().unwrap(), b"found");
}

#[test]
fn strings_stay_inside() {
    let with = |numbers: &[u32; 3], text: &str| {
        let mut raw = Raw::new();
        let file = raw.file(b"1");
        let root_at = raw.here();
        let name = root_at + 12 + 13;
        let root = raw.directory(&[(FILE, name, file)]);
        raw.numbers(numbers);
        raw.0.extend(b"ab");
        let bytes = raw.root(root);
        let archive = warned(&bytes, root as usize + 12, text);
        assert_eq!(archive.entries(), []);
    };
    with(&[3, 3, 0], "pmf/archive-entry, left out: 0x37");
    with(
        &[u32::MAX, u32::MAX, 0],
        "pmf/archive-entry, left out: 0x37 255 4294967295",
    );
    with(&[3, 2, 0], "pmf/archive-entry, left out: 0x37 2 3");
    with(&[3, 0, 12], "pmf/archive-entry, left out: 0 0x37 3");
    with(&[3, 2, u32::MAX], "pmf/archive-entry, left out: 0x37");
}

#[test]
fn files_stay_inside() {
    let with = |compression: u8, numbers: &[u32; 4], text: &str| {
        let mut raw = Raw::new();
        let name = raw.string(b"a");
        let at = raw.here();
        raw.0.push(compression);
        raw.numbers(numbers);
        raw.0.extend(b"0123456789");
        // A one-byte part whose next part is itself.
        let part = raw.here();
        raw.numbers(&[1, part, at]);
        raw.0.push(b'x');
        let root = raw.directory(&[(FILE, name, at)]);
        if numbers[3] == 1 {
            raw.set(at + 13, part);
        }
        let archive = warned(&raw.root(root), root as usize + 12, text);
        assert_eq!(archive.file_paths(), [""; 0]);
        assert_eq!(archive.entries()[0].name, "a");
        assert!(archive.file(0).unwrap().is_err());
    };
    with(
        2,
        &[10, 0, 10, 0],
        "pmf/archive-entry (ArchiveEntry 0): 0 0x19 1 2 a",
    );
    with(
        0,
        &[u32::MAX, 0, u32::MAX, 0],
        "pmf/archive-entry (ArchiveEntry 0): 0x19 4294967295 48 a",
    );
    with(0, &[90, 0, 90, 0], "pmf/archive-entry");
    with(
        0,
        &[12, 0, 10, 0],
        "pmf/archive-entry (ArchiveEntry 0): 0x19 10 12 a",
    );
    with(
        0,
        &[12, 0, 10, 1],
        "pmf/archive-entry (ArchiveEntry 0): 0x19 11 12 a",
    );
    with(0, &[12, 0, 10, u32::MAX], "pmf/archive-entry");
    with(
        0,
        &[12, 0, 0, 1],
        "pmf/archive-entry (ArchiveEntry 0): 0 0x19 12 a",
    );

    let mut raw = Raw::new();
    let name = raw.string(b"a");
    let other = raw.string(b"b");
    let root = raw.directory(&[(FILE, name, u32::MAX), (9, other, 12)]);
    let (archive, problems) = read(&raw.root(root));
    assert_eq!(archive.entries().len(), 2);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems[1]
            .facts()
            .contains("pmf/archive-entry (ArchiveEntry 1): 0 1 2 9 b")
    );
}

#[test]
fn files_that_cannot_be_decompressed_say_why() {
    let mut bytes = p2(&[file("a", &[1; 1000], true)]);
    let at = 12;
    assert_eq!(bytes[at], LZ4);
    for (size, with) in [
        (999_u32, "pmf/archive-entry: 0x0 999 LZ4"),
        (1001, "pmf/archive-entry: 0x0 1000 1001 LZ4"),
        (u32::MAX, "pmf/archive-entry: 0x0 34 4294967295 8734 LZ4"),
    ] {
        bytes[at + 5..at + 9].copy_from_slice(&size.to_le_bytes());
        let archive = sound(&bytes);
        let error = archive
            .file(archive.find("a").unwrap())
            .unwrap()
            .unwrap_err()
            .problem()
            .unwrap()
            .facts();
        assert!(
            error.starts_with("0xc: ") && error.contains(with),
            "{error}"
        );
    }
}

#[test]
fn links_lead_to_files() {
    let mut raw = Raw::new();
    let [a, b, c, d, e, f] = [b"a", b"b", b"c", b"d", b"e", b"f"].map(|name| raw.string(name));
    let file = raw.file(b"1");
    let up = raw.string(b"../a");
    let through = raw.string(b"d/b");
    let own = raw.string(b"e");
    let out = raw.string(b"../../../a");
    let inner = raw.directory(&[(LINK, b, up)]);
    let root = raw.directory(&[
        (FILE, a, file),
        (DIRECTORY, d, inner),
        (LINK, c, through),
        (LINK, e, own),
        (LINK, f, out),
    ]);
    let archive = sound(&raw.root(root));
    assert_eq!(archive.find("d/b"), archive.find("a"));
    assert_eq!(archive.find("c"), archive.find("a"));
    assert_eq!(archive.find("e"), None);
    assert_eq!(archive.find("f"), None);
    assert_eq!(archive.file_paths(), ["a"]);
    let paths: Vec<_> = archive
        .entries()
        .iter()
        .map(|entry| archive.path(entry))
        .collect();
    assert_eq!(paths, ["a", "d", "c", "e", "f", "d/b"]);
}

/// For any value of any byte, every entry that is read can be extracted.
#[test]
fn corrupt_bytes_are_tolerated() {
    let files = [
        file("a/b/c.ptf", b"some text, and some text", true),
        file("a/d", b"other", false),
        file("e", &[5; 300], true),
    ];
    let bytes = p2(&files);
    for at in 0..bytes.len() {
        for value in [0, 1, 0x7F, 0xFF, bytes[at] ^ 0x10] {
            let mut bytes = bytes.clone();
            bytes[at] = value;
            let (archive, problems) = read(&bytes);
            assert!(problems.len() <= 6, "{at}: {problems:?}");
            for (i, entry) in archive.entries().iter().enumerate() {
                assert!(archive.path(entry).len() < 100);
                if let Some(Ok(file)) = archive.file(i) {
                    assert!(file.len() <= 300);
                }
            }
            let _ = archive.find_texture("a/b/c");
        }
    }
}

#[test]
fn a_small_archive_makes_no_large_list() {
    // Overlapping directories: each begins a byte after the previous one, and all have the same
    // name.
    let mut raw = Raw::new();
    let name = raw.string(&[b'n'; MAX_NAME_BYTES]);
    let file = raw.file(b"1");
    let count = 20_000;
    let inner = raw.directory(&vec![(FILE, name, file); count]);
    let root = raw.directory(&vec![(DIRECTORY, name, inner); count]);
    let bytes = raw.root(root);
    let (archive, problems) = read(&bytes);
    assert!(problems.len() <= 202, "{}", problems.len());
    assert!(archive.entries().len() <= bytes.len() / ENTRY_BYTES + 1);

    // A chain of directories, each with the same long name.
    let mut raw = Raw::new();
    let name = raw.string(&[b'n'; MAX_NAME_BYTES]);
    let mut inner = raw.directory(&[]);
    for _ in 0..10_000 {
        inner = raw.directory(&[(DIRECTORY, name, inner)]);
    }
    let bytes = raw.root(inner);
    let (archive, problems) = read(&bytes);
    assert_eq!(problems.len(), 1);
    let paths: usize = archive
        .entries()
        .iter()
        .map(|entry| archive.path(entry).len())
        .sum();
    assert!(paths <= 4 * bytes.len(), "{paths}");

    // One file of many parts, entered many times.
    let mut raw = Raw::new();
    let at = raw.here();
    raw.0.push(0);
    let parts = 5000;
    raw.numbers(&[parts, 0, 0, 0]);
    for _ in 0..parts {
        let next = raw.here() + 13;
        raw.numbers(&[1, next, 0]);
        raw.0.push(b'x');
    }
    raw.set(at + 9, 1);
    raw.0.splice(at as usize + 17..at as usize + 17, [b'x']);
    raw.set(at + 13, at + 18);
    for i in 0..parts {
        let part = at + 18 + 13 * i;
        raw.set(part + 4, part + 13);
    }
    let names: Vec<_> = (0..500)
        .map(|i: u32| raw.string(i.to_string().as_bytes()))
        .collect();
    let entries: Vec<_> = names.iter().map(|name| (FILE, *name, at)).collect();
    let root = raw.directory(&entries);
    let (archive, problems) = read(&raw.root(root));
    assert!((1..10).contains(&archive.file_paths().len()));
    assert!(problems[0].rule.id == "pmf/archive-entry");
}

fn read_file(bytes: Vec<u8>) -> Paf {
    super::read(&bytes.into()).unwrap()
}

#[test]
fn layouts_are_told_apart_by_what_they_hold() {
    // Read as P3, each of these files of P2 has a size that fits into the archive, and the other way
    // round.
    let big = [b'b'; 4000];
    let one = |count: usize| [b'x'; 256].get(..count).unwrap().to_vec();
    for sizes in [
        [0, 0, 0],
        [1, 1, 1],
        [1, 2, 3],
        [256, 256, 256],
        [0, 1, 256],
    ] {
        let contents = sizes.map(one);
        let [a, b, c] = contents.each_ref().map(|bytes| &bytes[..]);
        for (layout, number) in [(WrittenLayout::P2, 2), (WrittenLayout::P3, 3)] {
            let files = [
                file("a", a, false),
                file("b/b", b, true),
                file("b/c", c, false),
                file("z", &big, false),
            ];
            let Paf { archive, problems } = read_file(write(&files, layout).unwrap());
            assert_eq!(archive.layout(), number, "{sizes:?}");
            assert_eq!(problems, []);
            for file in files {
                assert_eq!(bytes_of(&archive, file.path), file.bytes);
            }
        }
    }
    // Nothing tells P2 and P3 apart.
    for layout in [WrittenLayout::P2, WrittenLayout::P3] {
        let Paf { archive, .. } = read_file(write(&[], layout).unwrap());
        assert_eq!(archive.layout(), 3);
    }
}

#[test]
fn names_with_a_wrong_checksum_are_read() {
    let mut bytes = write(&[file("a", b"b", false)], WrittenLayout::P3).unwrap();
    let len = bytes.len();
    bytes[len - 8] ^= 1;
    let Paf { archive, problems } = read_file(bytes);
    assert_eq!(archive.file_paths(), ["a"]);
    let facts: Vec<_> = problems.iter().map(Problem::facts).collect();
    assert_eq!(name_crc(b"a"), 0x3AB5_51CE);
    let at = len - 13;
    let expected = "warning: paf/name-checksum (ArchiveEntry 0), read: 0x3ab551ce 0x3ab551cf a";
    assert_eq!(facts, [format!("{at:#x}: {expected}")]);
}

#[test]
fn chains_of_links_have_a_limit() {
    let mut raw = Raw::new();
    let names: Vec<_> = (0..30_u32)
        .map(|i| raw.string(format!("{i:02}").as_bytes()))
        .collect();
    let end = raw.string(b"./././././file");
    let file_name = raw.string(b"file");
    let file = raw.file(b"1");
    // Each leads to the next one, and the last one to the file.
    let mut entries: Vec<_> = (0..30)
        .map(|i| (LINK, names[i], *names.get(i + 1).unwrap_or(&end)))
        .collect();
    entries.push((FILE, file_name, file));
    let root = raw.directory(&entries);
    let archive = sound(&raw.root(root));
    let leads: Vec<_> = archive.entries()[..30]
        .iter()
        .map(|entry| match &entry.content {
            Content::Link(link) => link.target,
            _ => panic!(),
        })
        .collect();
    assert!(
        leads[..22]
            .iter()
            .all(|it| *it == Err(DeadEnd::TooManyLinks))
    );
    assert!(leads[22..].iter().all(|it| *it == Ok(Target::Entry(30))));
}

/// Many links lead through one with a long text, which is followed once.
#[test]
fn long_links_are_followed_once() {
    let mut raw = Raw::new();
    let long = raw.string("./".repeat(500_000).as_bytes());
    let through = raw.string(b"long");
    let count = 50_000;
    let mut entries = vec![(LINK, through, long)];
    for i in 0..count {
        let name = raw.string(format!("{i:x}").as_bytes());
        entries.push((LINK, name, through));
    }
    let root = raw.directory(&entries);
    let archive = sound(&raw.root(root));
    let targets = archive.entries().iter().map(|entry| match &entry.content {
        Content::Link(link) => link.target,
        _ => panic!(),
    });
    assert_eq!(
        targets.filter(|it| *it == Ok(Target::Root)).count(),
        count + 1
    );
}
