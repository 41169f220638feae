//! Writes the map that Mapscope opens when it is started without a file, and its textures:
//! `cargo run --example make_demo`. The same files come out every time.

use std::io::Write;
use std::path::Path;

mod generate;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo");
    for (name, bytes) in generate::files()? {
        let path = assets.join(name);
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
    Ok(())
}
