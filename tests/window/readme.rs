//! The key tables in the README and in `docs/keys.md` match the program.

use std::path::Path;

use mapscope::viewer::commands::{first_keys, key_tables};

const BEGIN: &str = "<!-- keys:begin -->\n";
const END: &str = "<!-- keys:end -->";

/// `UPDATE_README=1 cargo test --test program readme` regenerates the tables.
#[track_caller]
fn assert_table(name: &str, table: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let text = std::fs::read_to_string(&file).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("keys:begin");
    let (there, after) = rest.split_once(END).expect("keys:end");
    let wanted = format!("\n{table}\n");
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&file, [before, BEGIN, &wanted, END, after].concat()).unwrap();
    } else {
        assert!(
            there == wanted,
            "{name} has other keys than the program; run UPDATE_README=1 cargo test --test program readme"
        );
    }
}

#[test]
fn the_readme_has_keys_of_the_program() {
    let table = first_keys();
    assert_eq!(table.lines().count(), 2 + 12, "{table}");
    assert_table("README.md", &table);
}

#[test]
fn the_page_of_keys_has_the_keys_of_the_program() {
    assert_table("docs/keys.md", &key_tables());
}
