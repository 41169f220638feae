//! The demo scene as bytes: a village on the demo map, and its models with their textures.
//!
//! Nothing here calls functions of the maths library. Sums, products and square roots give the same
//! results on every machine, and a test compares the output with `assets/demo`.

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

/// The folder of models and their textures, below `assets/demo`.
const FOLDER: &str = "assets/models/village";

/// Names (below `assets/demo`) and bytes of all files.
///
/// # Errors
/// If content exceeds a limit of its format.
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
