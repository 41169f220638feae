//! Numbers for people are rounded in one place, which never prints a negative zero.

use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

/// The files that round numbers: the shared place, and `bench`, whose numbers are never negative.
const ROUNDING_FILES: [&str; 2] = ["crates/scene/src/describe/numbers.rs", "src/commands/bench"];

/// Collects the Rust files below a folder, without tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("testing") {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_other_place_rounds_numbers_for_people() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "crates/scene/src"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 100, "{files:?}");
    let rounds = Regex::new(r"\{\w*:[^{}]*\.(\d+|\w+\$|\*)\}").unwrap();
    assert!(rounds.is_match("{:>5.2}") && rounds.is_match("{x:+.decimals$}"));
    let mut found = Vec::new();
    for file in &files {
        let name = file.strip_prefix(root).unwrap();
        if ROUNDING_FILES.iter().any(|it| name.starts_with(it)) {
            continue;
        }
        let text = fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let lines = code.lines().filter(|line| rounds.is_match(line));
        found.extend(lines.map(|line| format!("{}: {}", name.display(), line.trim())));
    }
    assert!(found.is_empty(), "use `fixed`: {found:#?}");
}
