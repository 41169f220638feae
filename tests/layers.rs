//! The import direction: each layer uses only the layers below it, and none of what it must not
//! know of (see the table in the library's own documentation).
#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

/// A layer: a module at the top of the library.
struct Layer {
    name: &'static str,
    /// The other layers that it may use.
    uses: &'static [&'static str],
    /// What it must know nothing of: crates, or modules of the standard library.
    never: &'static [&'static str],
}

const LAYERS: &[Layer] = &[
    Layer {
        name: "formats",
        uses: &[],
        never: &[
            "std::fs",
            "std::path",
            "std::env",
            "std::net",
            "std::process",
            "wgpu",
            "egui_wgpu",
            "winit",
            "egui",
            "egui_winit",
            "rfd",
            "notify",
            "directories",
        ],
    },
    Layer {
        name: "scene",
        uses: &["formats"],
        never: &["wgpu", "egui_wgpu", "winit", "egui", "egui_winit", "rfd"],
    },
    Layer {
        name: "render",
        uses: &["formats", "scene"],
        never: &["winit", "egui", "egui_wgpu", "egui_winit", "rfd"],
    },
    Layer {
        name: "viewer",
        uses: &["formats", "scene", "render"],
        never: &[],
    },
    Layer {
        name: "commands",
        uses: &["formats", "scene", "render"],
        never: &["winit", "egui", "egui_wgpu", "egui_winit", "rfd"],
    },
];

#[test]
fn imports_go_in_one_direction() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut files = 0;
    for file in rust_files(&src) {
        let inside = file.strip_prefix(&src).unwrap();
        let module = module_of(inside);
        let Some(top) = module.first() else {
            continue; // lib.rs and main.rs may see everything.
        };
        let layer = LAYERS.iter().find(|l| l.name == top).unwrap_or_else(|| {
            panic!(
                "{} is in no layer: give it a line in LAYERS",
                inside.display()
            )
        });
        files += 1;
        let text = fs::read_to_string(&file).unwrap();
        for violation in violations(layer, &module, &text) {
            found.push(format!("src/{}:{violation}", inside.display()));
        }
    }
    assert!(files >= LAYERS.len(), "only {files} files were found");
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn the_scanner_sees_every_way_out_of_a_layer() {
    let scene = &LAYERS[1];
    let module = ["scene".to_owned(), "terrain".to_owned()];
    for (text, line) in [
        ("use crate::render::Gpu;", 1),
        ("\nuse crate::{formats::Tile, viewer};", 2),
        ("use crate::{formats::{Tile, Map},\n  render::Gpu};", 2),
        ("use super::super::render;", 1),
        ("use super::{super::commands::Info};", 1),
        ("fn f() { let gpu = crate::render::Gpu::headless(); }", 1),
        ("fn f() -> wgpu::Color { todo!() }", 1),
        ("use egui;", 1),
        ("use ::egui::Ui;", 1),
        ("use {egui::Ui, std::fmt};", 1),
        ("use egui as ui;", 1),
        ("pub use winit::{event::*};", 1),
        ("mod inner { use super::super::super::viewer::App; }", 1),
        ("/* a /* nested */ comment */ use crate::viewer::App;", 1),
        ("const Q: char = '\"'; use crate::viewer::App;", 1),
        ("fn f<'a>(s: &'a str) {}\nuse mapscope::viewer::App;", 2),
        (
            "#[cfg(test)] mod tests { use std::fs; } use rfd::FileDialog;",
            1,
        ),
    ] {
        let found = violations(scene, &module, text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].starts_with(&format!("{line}: ")), "{found:?}");
    }
    let formats = &LAYERS[0];
    let module = ["formats".to_owned()];
    for text in [
        "use std::fs;",
        "use std::{fmt, fs::File};",
        "fn f() { std::fs::read(p); }",
        "use crate::scene::Document;",
        "use super::scene;",
    ] {
        assert_eq!(violations(formats, &module, text).len(), 1, "{text}");
    }
}

#[test]
fn the_scanner_leaves_the_rest_alone() {
    let module = ["scene".to_owned(), "terrain".to_owned()];
    for text in [
        "use crate::formats::pfmap::{Tile, Pfmap};",
        "use crate::scene::camera::Camera;",
        "use super::super::formats::Place;",
        "use super::{camera::Camera, Document};",
        "pub(crate) fn f() {}",
        "pub(in crate::scene) fn f() {}",
        "//! See [`crate::render::Gpu`].\n/// And `crate::viewer`.",
        "const HELP: &str = \"use crate::viewer::App;\";",
        "const RAW: &str = r#\"a \"quoted\" crate::viewer::App\"#;",
        "let c = '\\''; let s = b\"crate::viewer::App\";",
        "fn egui() {} let egui = 1;",
        "std::fs::read(path)?;",
        "#[cfg(test)] mod tests { use crate::render::Gpu; }",
    ] {
        let found = violations(&LAYERS[1], &module, text);
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

/// All Rust files below a folder.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The module that a file of `src` holds; empty for the library's and the program's roots.
fn module_of(file: &Path) -> Vec<String> {
    file.with_extension("")
        .components()
        .map(|c| c.as_os_str().to_string_lossy().into_owned())
        .filter(|name| !matches!(name.as_str(), "mod" | "lib" | "main"))
        .collect()
}

/// Every path in a file's text that its layer must not use, as `LINE: what`.
fn violations(layer: &Layer, module: &[String], text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for Used { line, path } in paths(&tokens(text), module) {
        let whole = path.join("::");
        let forbidden = if path[0] == "crate" {
            path.get(1).filter(|target| {
                LAYERS.iter().any(|l| l.name == **target)
                    && **target != layer.name
                    && !layer.uses.contains(&target.as_str())
            })
        } else {
            None
        };
        if let Some(target) = forbidden {
            found.push(format!(
                "{line}: `{whole}`: `{}` must not use `{target}`",
                layer.name
            ));
        }
        let never = layer.never.iter().find(|never| {
            never
                .split("::")
                .eq(path.iter().take(never.split("::").count()))
        });
        if let Some(never) = never {
            found.push(format!(
                "{line}: `{whole}`: `{}` must not use `{never}`",
                layer.name
            ));
        }
    }
    found
}

/// A piece of Rust source: a name, or one mark (`::` counts as one).
struct Token<'t> {
    line: usize,
    text: &'t str,
}

/// Splits Rust source, without its comments, strings and character literals.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || !b.is_ascii();
    let until = |from: usize, end: &str| {
        text[from..]
            .find(end)
            .map_or(text.len(), |n| from + n + end.len())
    };
    let mut tokens = Vec::new();
    let (mut at, mut line, mut counted) = (0, 1, 0);
    while at < bytes.len() {
        let rest = &text[at..];
        let start = at;
        if rest.starts_with("//") {
            at = until(at, "\n");
        } else if rest.starts_with("/*") {
            at = end_of_block_comment(text, at);
        } else if let Some(hashes) = raw_string_hashes(rest) {
            let open = until(at, "\"");
            at = until(open, &format!("\"{}", "#".repeat(hashes)));
        } else if bytes[at] == b'"' {
            at += 1;
            while at < bytes.len() && bytes[at] != b'"' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at += 1;
        } else if bytes[at] == b'\'' {
            at = end_of_quote(text, at);
        } else if is_name(bytes[at]) {
            while at < bytes.len() && is_name(bytes[at]) {
                at += 1;
            }
            tokens.push((start, &text[start..at]));
        } else if rest.starts_with("::") {
            at += 2;
            tokens.push((start, "::"));
        } else {
            at += 1;
            if !bytes[start].is_ascii_whitespace() {
                tokens.push((start, &text[start..at]));
            }
        }
    }
    tokens
        .into_iter()
        .map(|(start, text_of)| {
            line += text[counted..start].matches('\n').count();
            counted = start;
            Token {
                line,
                text: text_of,
            }
        })
        .collect()
}

/// Where a block comment ends; they nest.
fn end_of_block_comment(text: &str, mut at: usize) -> usize {
    let mut depth = 0;
    while at < text.len() {
        match text.as_bytes().get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// How many `#` a raw string opens with, when one begins here.
fn raw_string_hashes(rest: &str) -> Option<usize> {
    let rest = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
    let opened = rest.trim_start_matches('#');
    opened.starts_with('"').then(|| rest.len() - opened.len())
}

/// Where a character literal or a lifetime ends.
fn end_of_quote(text: &str, at: usize) -> usize {
    let mut chars = text[at + 1..].char_indices();
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => {
            // The character after the backslash may itself be a quote.
            let from = at + 3;
            text[from..].find('\'').map_or(text.len(), |n| from + n + 1)
        }
        (Some(_), Some((n, '\''))) => at + 1 + n + 1,
        _ => at + 1,
    }
}

/// A path in the source, resolved so that it begins with `crate` or with another crate's name.
struct Used {
    line: usize,
    path: Vec<String>,
}

/// Every path of more than one name, every import, groups taken apart, test modules left out.
fn paths(tokens: &[Token<'_>], file_module: &[String]) -> Vec<Used> {
    let text = |n: usize| tokens.get(n).map_or("", |t| t.text);
    let mut used = Vec::new();
    // The inline modules that are open, each with the depth of braces outside it.
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while at < tokens.len() {
        match text(at) {
            "mod" if text(at + 2) == "{" => {
                open.push((text(at + 1).to_owned(), depth));
                depth += 1;
                at += 3;
                continue;
            }
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                if open.last().is_some_and(|(_, outside)| *outside == depth) {
                    open.pop();
                }
            }
            name if starts_name(name) => {}
            _ => {
                at += 1;
                continue;
            }
        }
        let is_use = text(at) == "use";
        if is_use || (starts_name(text(at)) && text(at + 1) == "::" && !follows_a_path(tokens, at))
        {
            let mut trees = Vec::new();
            at = tree(
                tokens,
                at + usize::from(is_use),
                &mut Vec::new(),
                &mut trees,
            );
            if open.iter().any(|(name, _)| name == "tests") {
                continue;
            }
            let module: Vec<&str> = file_module
                .iter()
                .map(String::as_str)
                .chain(open.iter().map(|(name, _)| name.as_str()))
                .collect();
            used.extend(trees.into_iter().filter_map(|(line, names)| {
                let path = resolve(&module, &names);
                (!path.is_empty()).then_some(Used { line, path })
            }));
        } else {
            at += 1;
        }
    }
    used
}

fn starts_name(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_alphabetic())
}

fn follows_a_path(tokens: &[Token<'_>], at: usize) -> bool {
    at >= 2 && tokens[at - 1].text == "::" && starts_name(tokens[at - 2].text)
}

/// Reads one path or group of paths that begins at a token, and gives the token after it.
fn tree<'t>(
    tokens: &[Token<'t>],
    mut at: usize,
    prefix: &mut Vec<&'t str>,
    out: &mut Vec<(usize, Vec<&'t str>)>,
) -> usize {
    let text = |n: usize| tokens.get(n).map_or("", |t| t.text);
    let length = prefix.len();
    let mut line = tokens.get(at).map_or(0, |t| t.line);
    loop {
        match text(at) {
            "::" => at += 1,
            "{" => {
                at += 1;
                while at < tokens.len() && text(at) != "}" {
                    at = tree(tokens, at, prefix, out);
                    if text(at) == "," {
                        at += 1;
                    }
                }
                at += 1;
                break;
            }
            name if starts_name(name) => {
                line = tokens[at].line;
                prefix.push(name);
                at += 1;
                if text(at) != "::" {
                    out.push((line, prefix.clone()));
                    break;
                }
            }
            _ => {
                // A `*`, or the `<` of a type's parameters.
                if prefix.len() > length {
                    out.push((line, prefix.clone()));
                }
                at += 1;
                break;
            }
        }
    }
    if text(at) == "as" {
        at += 2;
    }
    prefix.truncate(length);
    at
}

/// Replaces what a path begins with (`super`, `self`, the library's own name) by `crate`.
fn resolve(module: &[&str], names: &[&str]) -> Vec<String> {
    let climbs = names
        .iter()
        .take_while(|n| **n == "super" || **n == "self")
        .count();
    let ups = names[..climbs].iter().filter(|n| **n == "super").count();
    let (base, rest): (Vec<&str>, &[&str]) = match names.first() {
        Some(&("super" | "self")) => {
            let kept = module.len().saturating_sub(ups);
            let base = ["crate"].into_iter().chain(module[..kept].iter().copied());
            (base.collect(), &names[climbs..])
        }
        Some(&"mapscope") => (vec!["crate"], &names[1..]),
        _ => (Vec::new(), names),
    };
    base.iter().chain(rest).map(|&n| n.to_owned()).collect()
}
