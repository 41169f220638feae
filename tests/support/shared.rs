//! Real files of games, which lie beside the project where there are any.

use std::path::{Path, PathBuf};

/// A file or folder beside the project; none, with a word about it, where it is not there.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("MAPSCOPE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let found = folder.join(path);
    if found.exists() {
        return Some(found);
    }
    eprintln!("skipped: {path} is not here");
    None
}
