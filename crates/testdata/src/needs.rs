//! What tests need that not every machine has: real files of games, an X server, lavapipe.

use std::io::Write as _;
use std::path::PathBuf;

/// What a test may be skipped for, unless it is required: `MAPSCOPE_REQUIRE` lists the names of
/// those that must be there, such as `display,gpu,corpus`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The corpus and the samples, which lie beside the project.
    Corpus,
    /// An X server to start.
    Display,
    /// The software adapter whose pictures the goldens are.
    Gpu,
    /// Mesa's OpenGL without a graphics card.
    OpenGl,
    /// Something of the operating system, which cannot be required.
    System,
}

impl Need {
    fn name(self) -> &'static str {
        match self {
            Self::Corpus => "corpus",
            Self::Display => "display",
            Self::Gpu => "gpu",
            Self::OpenGl => "opengl",
            Self::System => "system",
        }
    }
}

/// Says that a test, or a part of it, is skipped; the caller then returns.
///
/// The line goes past the capture of the test harness, and to the end of the file that
/// `MAPSCOPE_SKIPPED` names, from which `make test` makes a summary.
///
/// # Panics
/// When `MAPSCOPE_REQUIRE` asks for what is missing.
#[track_caller]
pub fn skip(need: Need, reason: &str) {
    let required = std::env::var("MAPSCOPE_REQUIRE").unwrap_or_default();
    assert!(
        !required.split(',').any(|name| name == need.name()),
        "{reason}, and MAPSCOPE_REQUIRE asks for {}",
        need.name()
    );
    let thread = std::thread::current();
    let line = format!("SKIPPED {}: {reason}\n", thread.name().unwrap_or("a test"));
    // `eprintln!` would be captured. Without stderr there is nobody to tell.
    let _told = std::io::stderr().write_all(line.as_bytes());
    if let Some(file) = std::env::var_os("MAPSCOPE_SKIPPED") {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(file);
        let _kept = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// A file or folder beside the project; `None`, and the test is to be skipped, where it is not
/// there. `MAPSCOPE_SHARED` names another folder to look in.
#[track_caller]
pub fn shared(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("MAPSCOPE_SHARED")
        .map_or_else(|| crate::root().join("../shared"), PathBuf::from);
    let found = folder.join(path);
    if found.exists() {
        return Some(found);
    }
    skip(Need::Corpus, &format!("{path} is not there"));
    None
}
