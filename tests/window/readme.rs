//! The key table of the README is that of the program.

use std::path::Path;

use mapscope::viewer::commands::readme_key_table;

const BEGIN: &str = "<!-- keys:begin -->\n";
const END: &str = "<!-- keys:end -->";

/// `UPDATE_README=1 cargo test --test window readme` writes the table anew.
#[test]
fn the_readme_has_the_keys_of_the_program() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&file).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("README.md has keys:begin");
    let (there, after) = rest.split_once(END).expect("README.md has keys:end");
    let wanted = format!("\n{}\n", readme_key_table());
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&file, [before, BEGIN, &wanted, END, after].concat()).unwrap();
    } else {
        assert!(
            there == wanted,
            "README.md has other keys than the program; run UPDATE_README=1 cargo test --test window readme"
        );
    }
}
