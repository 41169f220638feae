//! PAF archives: the values of the samples.

use bytes::Bytes;
use mapscope_formats::paf::{self, Archive, Content, Paf, Target, name_crc};
use mapscope_formats::{Problem, Severity, Subject};
use mapscope_testdata::shared;

/// Names, bytes and side-cars of the samples.
fn samples() -> Vec<(String, Bytes, serde_json::Value)> {
    let mut samples = Vec::new();
    for folder in ["samples/platinumsrc", "samples/platinumsrc/broken"] {
        let Some(folder) = shared(folder) else {
            continue;
        };
        let entries = std::fs::read_dir(folder).unwrap();
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|ending| ending == "paf") {
                let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
                let truth = std::fs::read(path.with_extension("json")).unwrap();
                let truth = serde_json::from_slice(&truth).unwrap();
                samples.push((name, std::fs::read(&path).unwrap().into(), truth));
            }
        }
    }
    samples
}

/// The path that an entry leads to, or its own.
fn leads_to(archive: &Archive, target: Target) -> String {
    match target {
        Target::Root => String::new(),
        Target::Entry(index) => archive.path(&archive.entries()[index as usize]),
    }
}

fn crc32(bytes: &[u8]) -> u64 {
    crc32fast::hash(bytes).into()
}

#[test]
fn samples_have_the_values_of_their_side_cars() {
    for (name, bytes, truth) in samples() {
        let read = paf::read(&bytes);
        if truth["expect"] == "reject" {
            assert_eq!(read.unwrap_err().problem().unwrap().rule.id, "paf/magic");
            continue;
        }
        let Paf { archive, problems } = read.unwrap();
        assert_eq!(format!("P{}", archive.layout()), truth["layout"], "{name}");
        let file = |path: &str| archive.file(archive.find(path).expect(path)).unwrap();
        if let Some(listing) = truth["listing"].as_array() {
            let severities: Vec<_> = problems.iter().map(|it| it.rule.id).collect();
            let dead: Vec<_> = listing
                .iter()
                .filter(|it| it["type"] == "link" && it["leads_to"].is_null())
                .map(|_| "paf/link")
                .collect();
            assert_eq!(severities, dead, "{name}: {problems:?}");
            assert_eq!(archive.entries().len(), listing.len());
            for truth in listing {
                let path = truth["path"].as_str().unwrap();
                let entries = archive.entries().iter();
                let [entry] = entries
                    .filter(|entry| archive.path(entry) == path)
                    .collect::<Vec<_>>()[..]
                else {
                    panic!("{name}: {path}");
                };
                assert_eq!(entry.crc, truth["name_crc"], "{path}");
                assert_eq!(entry.crc, name_crc(entry.name.as_bytes()), "{path}");
                assert_eq!(entry.record, truth["at"], "{path}");
                match &entry.content {
                    Content::Directory(children) => {
                        assert_eq!(truth["type"], "dir", "{path}");
                        assert_eq!(children.len(), truth["entries"], "{path}");
                    }
                    Content::File(found) => {
                        assert_eq!(truth["type"], "file", "{path}");
                        assert_eq!(found.is_compressed, truth["packed"], "{path}");
                        // An empty file has one part without bytes.
                        let parts = found.segments.len().max(1);
                        assert_eq!(parts, truth["parts"], "{path}");
                        let bytes = file(path).unwrap();
                        assert_eq!(found.bytes as usize, bytes.len(), "{path}");
                        assert_eq!(bytes.len(), truth["size"], "{path}");
                        assert_eq!(crc32(&bytes), truth["crc32"], "{path}");
                    }
                    Content::Link(link) => {
                        assert_eq!(truth["type"], "link", "{path}");
                        assert_eq!(link.text, truth["target"], "{path}");
                        let leads = link.target.ok().map(|target| leads_to(&archive, target));
                        assert_eq!(leads.as_deref(), truth["leads_to"].as_str(), "{path}");
                    }
                    Content::Unknown(_) => panic!("{path}"),
                }
            }
            continue;
        }
        assert!(!problems.is_empty(), "{name}");
        let whole = &truth["whole"];
        let files = whole["files"].as_array().unwrap();
        let mut paths: Vec<_> = files
            .iter()
            .map(|it| it["path"].as_str().unwrap())
            .collect();
        paths.sort_unstable();
        assert_eq!(archive.file_paths(), paths, "{name}: {problems:#?}");
        for truth in files {
            let bytes = file(truth["path"].as_str().unwrap()).unwrap();
            assert_eq!((bytes.len(), crc32(&bytes)).0, truth["size"], "{name}");
            assert_eq!(crc32(&bytes), truth["crc32"], "{name}");
        }
        let texts = |key: &str| -> Vec<String> {
            let list = whole[key].as_array().map_or(&[][..], |list| list);
            list.iter()
                .map(|it| it.as_str().unwrap().to_owned())
                .collect()
        };
        let entries = archive.entries().iter();
        let unreadable: Vec<String> = entries
            .clone()
            .zip(0..)
            .filter(|(_, index)| {
                let is_it = |problem: &Problem| {
                    problem.severity == Severity::Error
                        && problem.subject == Subject::ArchiveEntry(*index)
                };
                problems.iter().any(is_it)
            })
            .map(|(entry, _)| archive.path(entry))
            .collect();
        assert_eq!(unreadable, texts("unreadable"), "{name}: {problems:#?}");
        if whole["directories"].is_array() {
            let directories: Vec<_> = entries
                .filter(|entry| matches!(entry.content, Content::Directory(_)))
                .map(|entry| archive.path(entry))
                .collect();
            assert_eq!(directories, texts("directories"), "{name}");
        }
        if let Some(left_out) = whole["left_out"].as_u64() {
            let of_names = problems.iter().filter(|it| it.rule.id == "paf/name");
            assert_eq!(of_names.count() as u64, left_out, "{name}: {problems:#?}");
        }
        for (path, target) in whole["links"].as_object().into_iter().flatten() {
            let found = archive.walk(path).ok();
            let found = found.map(|target| leads_to(&archive, target));
            assert_eq!(found.as_deref(), target.as_str(), "{name}: {path}");
        }
    }
}
