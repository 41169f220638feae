//! The demo scene: a village on the demo map, and its models with their textures, as bytes.
//!
//! Nothing here calls a function of the mathematics library: sums, products and square roots are
//! the same on every machine, and a test compares with what lies in `assets/demo`.

use mapscope_formats::{pfobj, pfscene};

use super::{Failure, Files};

mod folk;
mod ground;
mod houses;
mod kit;
mod layout;
mod models;
mod paint;
mod plants;
#[cfg(test)]
mod tests;
mod things;

/// Where models and their textures lie, below `assets/demo`.
const FOLDER: &str = "assets/models/village";

/// Names (below `assets/demo`) and bytes of all files.
///
/// # Errors
/// When something does not fit into its format.
pub fn files() -> Result<Files, Failure> {
    let scene = pfscene::write(&layout::scene());
    let mut files = vec![("demo.pfscene".to_owned(), scene)];
    for model in models::MODELS {
        let text = super::models::shortened(&pfobj::write(&model.made()?));
        files.push((format!("{FOLDER}/{}.pfobj", model.name), text.into_bytes()));
    }
    for (name, bytes) in paint::files()? {
        files.push((format!("{FOLDER}/{name}"), bytes));
    }
    Ok(files)
}
