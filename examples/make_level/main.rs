//! Writes the level that Mapscope offers when it is started without a file:
//! `cargo run --example make_level`. The same file comes out every time.

use std::io::Write;
use std::path::Path;

mod generate;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/levels");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(generate::FILE);
    let bytes = generate::bytes()?;
    std::fs::write(&path, &bytes)?;
    writeln!(
        std::io::stdout(),
        "{} ({} bytes)",
        path.display(),
        bytes.len()
    )?;
    Ok(())
}
