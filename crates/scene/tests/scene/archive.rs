//! Archives as documents, and files inside them.

use std::path::Path;
use std::sync::Arc;

use mapscope_formats::paf::{self, NewFile, WrittenLayout};
use mapscope_formats::pfobj;
use mapscope_formats::pmf::{self, Packing};
use mapscope_scene::diff::Diff;
use mapscope_scene::{
    ArchiveItem, Document, LevelItem, OpenError, OpenOptions, Playhead, Progress, Shown, Source,
    file_on_disk, find_matches,
};
use mapscope_testdata::synthesize;
use mapscope_testdata::tiny_model;
use mapscope_testdata::tiny_scene::bitmap;

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let files: Vec<_> = files
        .iter()
        .map(|&(path, bytes)| NewFile {
            path,
            bytes,
            compress: true,
        })
        .collect();
    paf::write(&files, WrittenLayout::P2).unwrap()
}

fn open(path: &Path) -> Result<Arc<dyn Document>, OpenError> {
    let source = Source::read(path)?;
    mapscope_scene::open(&source, &OpenOptions::default(), &Progress::default())
}

/// A model with a texture.
fn model(texture: &str) -> Vec<u8> {
    let mut model = tiny_model();
    for material in &mut model.materials {
        material.texture = texture.to_owned();
    }
    pfobj::write(&model)
}

#[test]
fn files_inside_archives_are_opened_by_their_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("base.paf");
    let picture = bitmap(2, |_, _| [10, 20, 30]);
    let model = model("skin.tga");
    let bytes = archive(&[
        ("models/rock.pfobj", &model),
        ("models/skin.tga", &picture),
        ("deep/er/rock.pfobj", &model),
    ]);
    std::fs::write(&path, bytes).unwrap();

    let rock = path.join("models/rock.pfobj");
    assert_eq!(file_on_disk(&rock), path);
    let document = open(&rock).unwrap();
    assert_eq!(document.about().format.id, "pfobj");
    let files = document.files();
    let skin = files.iter().find(|file| file.name == "skin.tga").unwrap();
    assert!(skin.found, "{files:?}");
    assert_eq!(skin.path.as_deref(), Some(&*path.join("models/skin.tga")));

    // Another folder of the archive has no such texture.
    let document = open(&path.join("deep/er/rock.pfobj")).unwrap();
    let files = document.files();
    assert!(
        files
            .iter()
            .any(|file| file.name == "skin.tga" && !file.found)
    );

    for (inside, reason) in [
        (
            "models/none.pfobj",
            "`models/none.pfobj` was not found in the archive",
        ),
        ("models", "`models` is a folder of the archive"),
        ("../rock.pfobj", "was not found in the archive"),
    ] {
        let error = Source::read(&path.join(inside)).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    std::fs::write(folder.path().join("a.txt"), "no archive").unwrap();
    let error = Source::read(&folder.path().join("a.txt/b")).unwrap_err();
    assert!(error.to_string().contains("is not an archive"), "{error}");
}

#[test]
fn archives_in_archives_have_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.paf");
    let model = model("skin.tga");
    let mut bytes = archive(&[("rock.pfobj", &model)]);
    for _ in 0..8 {
        bytes = archive(&[("next.paf", &bytes)]);
    }
    std::fs::write(&path, bytes).unwrap();
    let nested = |count: usize| {
        let inner = (0..count).map(|_| "next.paf");
        path.join(inner.collect::<std::path::PathBuf>())
    };
    let error = Source::read(&nested(8).join("rock.pfobj"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("more than 8 archives"), "{error}");
    let document = open(&nested(7)).unwrap();
    let inner = ArchiveItem::File { index: 0 }.into();
    assert_eq!(document.file_of(inner), Some(nested(8)));
    assert_eq!(open(&nested(8)).unwrap().about().format.id, "paf");
}

#[test]
fn files_in_the_archive_of_a_map_are_opened_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pmf");
    let mut map = synthesize::pmf([1, 1, 1], 1, 3);
    let rock = model("skin.tga");
    let file = |path, bytes| NewFile {
        path,
        bytes,
        compress: false,
    };
    let files = [
        file("models/rock.pfobj", &rock[..]),
        file("notes.txt", b"Hello"),
    ];
    map.archive = Some(paf::Archive::build(&files).unwrap());
    std::fs::write(&path, pmf::write(&map, Packing::Compressed).unwrap()).unwrap();
    let document = open(&path).unwrap();
    let index = |path: &str| document.archive().unwrap().find(path).unwrap() as u32;
    let item = |path: &str| LevelItem::ArchiveFile { index: index(path) }.into();
    assert_eq!(document.file_of(item("notes.txt")), None);
    let inner = document.file_of(item("models/rock.pfobj")).unwrap();
    assert_eq!(inner, path.join("models/rock.pfobj"));
    assert_eq!(open(&inner).unwrap().about().format.id, "pfobj");
}

#[test]
fn archives_are_described_searched_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let rock = model("skin.tga");
    let write = |name: &str, files: &[(&str, &[u8])]| {
        let path = folder.path().join(name);
        std::fs::write(&path, archive(files)).unwrap();
        open(&path).unwrap()
    };
    let a = write(
        "a.paf",
        &[("b/rock.pfobj", &rock), ("a.txt", b"one"), ("old", b"1")],
    );
    let b = write(
        "b.paf",
        &[
            ("b/rock.pfobj", &rock),
            ("a.txt", b"two"),
            ("new", b"22222"),
        ],
    );
    let outline = a.outline();
    let [whole] = &outline[..] else {
        panic!("{outline:?}");
    };
    assert_eq!(whole.label, "a.paf");
    let labels: Vec<_> = whole.children.iter().map(|line| &*line.label).collect();
    assert_eq!(labels, ["b", "a.txt", "old"]);
    assert_eq!(whole.children[0].children[0].label, "rock.pfobj");
    assert!(a.emptiness(&Shown::default()).is_some());

    let item = |path: &str| {
        let index = a.archive().unwrap().find(path).unwrap() as u32;
        mapscope_scene::Item::from(ArchiveItem::File { index })
    };
    let details = a.details(item("a.txt"), Playhead::default());
    assert_eq!(details["entry"]["path"], "a.txt");
    assert_eq!(details["entry"]["size"], 3);
    assert_eq!(details["content"]["format"], "text");
    assert_eq!(details["content"]["crc32"], crc32fast::hash(b"one"));
    let details = a.details(item("b/rock.pfobj"), Playhead::default());
    assert_eq!(details["content"]["format"], "Permafrost Engine model");

    let found = find_matches(&*a, "file where size > 10", Playhead::default(), 9).unwrap();
    let found: Vec<_> = found.items.iter().map(|it| it.item).collect();
    assert_eq!(found, [item("b/rock.pfobj")]);

    let diff = Diff::of([&*a, &*b]).unwrap();
    let differences: Vec<_> = diff
        .differences
        .iter()
        .map(|it| (it.what, &*it.place, it.is_in))
        .collect();
    let expected = [
        ("file", "a.txt", [true; 2]),
        ("file", "old", [true, false]),
        ("file", "new", [false, true]),
    ];
    assert_eq!(differences, expected);
}
