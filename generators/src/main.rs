//! Writes the built-in maps and models, their textures, and the icon: in `generators/`,
//! `cargo run -- terrain scene models level tilemaps icon`, or only some of these kinds. The output is
//! the same every time.

use std::io::Write as _;

use mapscope_generators::{Failure, KINDS, assets};

fn main() -> Result<(), Failure> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    if names.is_empty() || names.iter().any(|name| !known.contains(&&**name)) {
        return Err(format!("name what to make: {}", known.join(", ")).into());
    }
    let assets = assets();
    for kind in KINDS {
        if !names.iter().any(|name| name == kind.name) {
            continue;
        }
        for (name, bytes) in (kind.files)()? {
            let path = assets.join(kind.folder).join(name);
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            std::fs::write(&path, &bytes)?;
            writeln!(
                std::io::stdout(),
                "{} ({} bytes)",
                path.display(),
                bytes.len()
            )?;
        }
    }
    Ok(())
}
