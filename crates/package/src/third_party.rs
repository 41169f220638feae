//! Licences of everything that is linked into the program, from the licence files of the crates and
//! fonts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{Failure, PROGRAM};

/// Prefixes of the names of licence files, in lower case.
const LICENCE_NAMES: [&str; 8] = [
    "license",
    "licence",
    "copying",
    "copyright",
    "notice",
    "unlicense",
    "ofl",
    "ufl",
];
/// Subfolders of a crate with their own licences.
const LICENCE_FOLDERS: [&str; 3] = ["fonts", "licenses", "LICENSES"];

/// Licence texts, each with the packages that have it.
#[derive(Debug, Default)]
struct Texts(BTreeMap<String, BTreeSet<String>>);

/// Names, versions, licences and licence texts of all crates in the program, from the output of
/// `cargo metadata`. A text that several crates share is listed once.
///
/// # Errors
/// If a crate declares no licence, if the licence text of a font is missing, or if a file cannot be
/// read.
pub fn third_party(metadata: &Value) -> Result<String, Failure> {
    let packages = linked(metadata)?;
    let mut list = String::new();
    let mut texts = Texts::default();
    let mut without = Vec::new();
    for package in packages {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let name = format!("{} {}", text("name"), text("version"));
        let licence = text("license");
        if licence.is_empty() {
            return Err(format!("{name} does not declare a licence").into());
        }
        writeln!(list, "{name}: {licence}")?;
        let folder = Path::new(text("manifest_path"))
            .parent()
            .unwrap_or(Path::new(""));
        let files = licence_files(folder)?;
        let fonts = files
            .iter()
            .filter(|file| file.starts_with(folder.join("fonts")));
        if text("name").ends_with("default_fonts") && fonts.count() == 0 {
            return Err(format!("{name} has no licence files for its fonts").into());
        }
        if files.is_empty() {
            without.push(format!("{name}: {licence}"));
        }
        for file in files {
            let bytes = fs::read(&file)?;
            let content = String::from_utf8_lossy(&bytes);
            let content = content.replace("\r\n", "\n").trim().to_owned();
            let path = file.strip_prefix(folder)?.display().to_string();
            texts
                .0
                .entry(content)
                .or_default()
                .insert(format!("{name} ({path})"));
        }
    }
    let line = "-".repeat(78);
    let mut all = format!(
        "Mapscope contains the crates below, and parts of the Rust standard library (MIT or\n\
         Apache-2.0, https://www.rust-lang.org). Their licences follow.\n\n{list}\n"
    );
    writeln!(
        all,
        "Of these, the following have no licence file of their own. Their licences are among those\n\
         below, as provided by other crates.\n\n{}\n",
        without.join("\n")
    )?;
    for (text, crates) in texts.0 {
        let crates: Vec<String> = crates.into_iter().collect();
        writeln!(all, "{line}\n{}\n{line}\n\n{text}\n", crates.join("\n"))?;
    }
    Ok(all)
}

/// The packages that the program is linked with, ordered by name, without build scripts, tests and
/// the workspace's own crates.
fn linked(metadata: &Value) -> Result<Vec<&Value>, Failure> {
    let list = |value: &'_ Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"], "nodes")
        .into_iter()
        .filter_map(|node| Some((node["id"].as_str()?.to_owned(), node)))
        .collect();
    let packages = metadata["packages"].as_array();
    let packages = packages.ok_or("`cargo metadata` lists no packages")?;
    let program = packages.iter().find(|package| package["name"] == PROGRAM);
    let program = program.and_then(|package| package["id"].as_str());
    let mut left = vec![
        program
            .ok_or("`cargo metadata` does not list mapscope")?
            .to_owned(),
    ];
    let mut reached = BTreeSet::new();
    while let Some(id) = left.pop() {
        if !reached.insert(id.clone()) {
            continue;
        }
        for dependency in nodes
            .get(&id)
            .map(|node| list(node, "deps"))
            .unwrap_or_default()
        {
            // A normal dependency has the kind `null`.
            let is_normal = list(&dependency, "dep_kinds")
                .iter()
                .any(|kind| kind["kind"].is_null());
            if let Some(id) = dependency["pkg"].as_str().filter(|_| is_normal) {
                left.push(id.to_owned());
            }
        }
    }
    let mut linked: Vec<&Value> = packages
        .iter()
        .filter(|package| !package["source"].is_null())
        .filter(|package| {
            package["id"]
                .as_str()
                .is_some_and(|id| reached.contains(id))
        })
        .collect();
    linked.sort_by_key(|package| (package["name"].to_string(), package["version"].to_string()));
    Ok(linked)
}

/// The licence files of a crate, ordered by name.
fn licence_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let own = std::iter::once(folder.to_owned());
    for folder in own.chain(LICENCE_FOLDERS.map(|name| folder.join(name))) {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.unwrap_or_default().to_ascii_lowercase();
            // Licences of fonts are beside them under other names.
            let is_licence = LICENCE_NAMES.iter().any(|begin| name.starts_with(begin))
                || folder.ends_with("fonts")
                    && path.extension().is_some_and(|ending| ending == "txt");
            if is_licence && path.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_program_is_linked_with_is_listed_with_its_texts() {
        let folder = tempfile::tempdir().unwrap();
        let package = |name: &str, is_own: bool| {
            let root = folder.path().join(name);
            fs::create_dir_all(root.join("fonts")).unwrap();
            fs::write(
                root.join("LICENSE-MIT"),
                format!("shared\r\nby {}", &name[..1]),
            )
            .unwrap();
            let source = (!is_own).then_some("registry");
            json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT",
                "source": source, "manifest_path": root.join("Cargo.toml")})
        };
        let needs = |id: &str, kind: Value| json!({"pkg": id, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [package("mapscope", true), package("aa", false), package("ab", false),
                package("builder", false), package("default_fonts", false)],
            "resolve": {"nodes": [
                {"id": "mapscope", "deps": [needs("aa", Value::Null), needs("builder", "build".into())]},
                {"id": "aa", "deps": [needs("ab", Value::Null)]},
                {"id": "ab", "deps": []},
            ]},
        });
        let text = third_party(&metadata).unwrap();
        for wanted in [
            "aa 1.0.0: MIT",
            "aa 1.0.0 (LICENSE-MIT)\nab 1.0.0 (LICENSE-MIT)\n",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        assert_eq!(text.matches("shared\nby a").count(), 1, "{text}");
        assert!(!text.contains("builder"), "{text}");

        // A font must have a licence text.
        let mut metadata = metadata;
        metadata["resolve"]["nodes"][2]["deps"] = json!([needs("default_fonts", Value::Null)]);
        assert!(third_party(&metadata).is_err());
        fs::write(
            folder.path().join("default_fonts/fonts/Nice.txt"),
            "of the font",
        )
        .unwrap();
        assert!(third_party(&metadata).unwrap().contains("of the font"));
    }
}
