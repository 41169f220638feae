//! Requirements of tests that not every machine fulfils: real game files, an X server, lavapipe.

use std::io::Write as _;
use std::path::PathBuf;

/// A requirement without which a test may be skipped. `MAPSCOPE_REQUIRE` lists the names of those
/// that must be fulfilled, such as `display,gpu,corpus`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The corpus and the samples, which are in a folder beside the project.
    Corpus,
    /// An X server to start.
    Display,
    /// The software adapter that rendered the golden images.
    Gpu,
    /// Mesa's OpenGL without a graphics card.
    OpenGl,
    /// A property of the operating system, which cannot be required.
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

/// Reports that a test or a part of it is skipped; the caller then returns.
///
/// The message bypasses the output capture of the test harness. It is also appended to the file in
/// `MAPSCOPE_SKIPPED`, from which `make test` prints a summary.
///
/// # Panics
/// If `MAPSCOPE_REQUIRE` lists the missing requirement.
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
    // `eprintln!` would be captured. Ignore a closed stderr.
    let _told = std::io::stderr().write_all(line.as_bytes());
    if let Some(file) = std::env::var_os("MAPSCOPE_SKIPPED") {
        let file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(file);
        let _kept = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// A file or folder beside the project. If it does not exist, returns `None` and the test must be
/// skipped. `MAPSCOPE_SHARED` overrides the folder to search.
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
