//! Writes the 2D maps that Mapscope offers when it is started without a file, and their tiles:
//! `cargo run --example make_tilemaps`. The same files come out every time.

use std::io::Write;
use std::path::Path;

mod generate;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/maps");
    std::fs::create_dir_all(&folder)?;
    for (name, bytes) in generate::files()? {
        let path = folder.join(name);
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
