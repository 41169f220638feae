//! The project's documents for a package, with links that also work there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::{Failure, PROGRAM, PackageFile};

/// Files in the project's root that a package includes, besides the pages.
const AT_ROOT: [&str; 4] = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];
/// The folder of the pages and their images.
const PAGES: &str = "docs";

/// The documents in the project's root and its pages. Links to files that a package does not
/// contain, such as sources, are reduced to their text.
///
/// # Errors
/// If a file cannot be read.
pub fn documents(root: &Path) -> Result<Vec<PackageFile>, Failure> {
    let mut paths: BTreeSet<PathBuf> = AT_ROOT.map(PathBuf::from).into();
    let mut folders = vec![PathBuf::from(PAGES)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else {
                paths.insert(path);
            }
        }
    }
    let file = |path: &PathBuf| {
        let mut bytes = fs::read(root.join(path))?;
        if path.extension().is_some_and(|ending| ending == "md") {
            let folder = path.parent().unwrap_or(Path::new(""));
            let has = |target: &str| paths.contains(&joined(folder, target));
            bytes = strip_missing_links(&String::from_utf8(bytes)?, has).into_bytes();
        }
        let path = path.display();
        Ok(PackageFile::new(
            format!("share/doc/{PROGRAM}/{path}"),
            bytes,
        ))
    };
    paths.iter().map(file).collect()
}

/// Resolves a link in a folder to a path without `..`.
fn joined(folder: &Path, target: &str) -> PathBuf {
    let mut joined = PathBuf::new();
    for part in folder.join(target).components() {
        match part {
            Component::ParentDir => {
                joined.pop();
            }
            part => joined.push(part),
        }
    }
    joined
}

/// Reduces links of a Markdown page to their text unless they lead to a web page, to a heading, or
/// to a file for which `has` returns `true`. Code blocks stay unchanged.
fn strip_missing_links(page: &str, has: impl Fn(&str) -> bool) -> String {
    let mut written = String::with_capacity(page.len());
    for (index, part) in page.split("```").enumerate() {
        let is_code = index % 2 == 1;
        if index > 0 {
            written.push_str("```");
        }
        let mut rest = part;
        while let Some((text, target, after)) = next_link(rest).filter(|_| !is_code) {
            let (before, text) = text;
            let file = target.split_once('#').map_or(target, |(file, _)| file);
            written.push_str(before);
            if file.is_empty() || file.contains("://") || has(file) {
                written.extend(["[", text, "](", target, ")"]);
            } else {
                written.push_str(text);
            }
            rest = after;
        }
        written.push_str(rest);
    }
    written
}

/// Finds the first link of a text. Returns the text before it and its label, its target, and the
/// text after it.
fn next_link(text: &str) -> Option<((&str, &str), &str, &str)> {
    let (until, rest) = text.split_once("](")?;
    let (target, after) = rest.split_once(')')?;
    Some((until.rsplit_once('[')?, target, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_text() {
        let page = "![A](a.gif), [the\npage](b.md#x), [`here`](#y), [c](../c.rs).\n```\n[d](d.rs)\n\
                    ```\n[web](https://doe.org), [E](E)";
        let has = |file: &str| matches!(file, "a.gif" | "b.md");
        let expected = page.replace("[c](../c.rs)", "c").replace("[E](E)", "E");
        assert_eq!(strip_missing_links(page, has), expected);
        let up = joined(Path::new("docs/formats"), "../rules.md");
        assert_eq!(up, Path::new("docs/rules.md"));
    }
}
