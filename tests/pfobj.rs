//! PFOBJ through the public interface: real models, and everything that is wrong with a file that
//! its author can get wrong.

#![cfg(test)]

#[path = "support/shared.rs"]
mod shared;

use std::path::Path;

use mapscope::formats::pfobj::{self, FORMAT, Pfobj};

use shared::shared;

/// The real models, or none where they are not there.
fn corpus() -> Vec<(String, Vec<u8>)> {
    fn add(folder: &Path, models: &mut Vec<(String, Vec<u8>)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                add(&path, models);
            } else if path.extension().is_some_and(|ending| ending == "pfobj") {
                models.push((path.display().to_string(), std::fs::read(path).unwrap()));
            }
        }
    }
    let mut models = Vec::new();
    if let Some(folder) = shared("corpus/permafrost/assets/models") {
        add(&folder, &mut models);
        assert_eq!(models.len(), 58);
    }
    models
}

#[track_caller]
fn read(text: impl AsRef<[u8]>) -> Pfobj {
    match pfobj::read(text.as_ref()) {
        Ok(model) => model,
        Err(error) => panic!("{error}"),
    }
}

fn problems(model: &Pfobj) -> Vec<String> {
    model.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn real_models_come_back_byte_for_byte() {
    for (name, bytes) in corpus() {
        assert!((FORMAT.sniff)(&bytes), "{name}");
        let model = read(&bytes);
        assert_eq!(problems(&model), [""; 0], "{name}");
        let written = pfobj::write(&model);
        if written != bytes {
            let (a, b) = (
                String::from_utf8_lossy(&bytes),
                String::from_utf8_lossy(&written),
            );
            let (i, (a, b)) = a
                .lines()
                .zip(b.lines())
                .enumerate()
                .find(|(_, (a, b))| a != b)
                .unwrap();
            panic!("{name}:{}: read `{a}`, written `{b}`", i + 1);
        }
        assert_eq!(read(&written), model, "{name}");
    }
}
