//! The project's own models and their textures as bytes.
//!
//! Nothing here calls functions of the maths library. Sums, products and square roots give the same
//! results on every machine, and a test compares the output with `assets/models`.

use image::ImageResult;
use mapscope_formats::pfobj;

pub(crate) mod bake;
mod drakeling;
mod hide;
pub(crate) mod mesh;
pub(crate) mod model;
mod motion;
mod props;
pub(crate) mod rig;
mod robot;
#[cfg(test)]
mod tests;

use model::Made;

use super::{Failure, Files};

fn drakeling() -> ImageResult<Made> {
    let rig = drakeling::rig();
    let mut made = model::make(drakeling::mesh(&rig), &drakeling::STUFFS, &rig, true)?;
    for (name, picture) in [
        ("drakeling_horn.png", hide::horn()),
        ("drakeling_eye.png", hide::eye()),
    ] {
        made.textures.push((name.to_owned(), bake::png(&picture)?));
    }
    for (name, poses) in motion::clips(&rig) {
        let clip = rig.clip(&made.model, name, &poses);
        made.model.clips.push(clip);
    }
    Ok(made)
}

/// All models by name (without `.pfobj`).
fn models() -> ImageResult<Vec<(&'static str, Made)>> {
    Ok(vec![
        ("drakeling", drakeling()?),
        ("barrel", props::barrel()?),
        ("blossom_tree", props::tree()?),
        ("boulders", props::boulders()?),
        ("ground", props::ground()?),
        ("lantern", props::lantern()?),
        ("toadstools", props::toadstools()?),
    ])
}

/// Names (below `assets/models`) and bytes of all files.
///
/// # Errors
/// If content exceeds a limit of its format.
pub fn files() -> Result<Files, Failure> {
    let mut files = files_of(&models()?);
    files.push(("robot.p3m".to_owned(), robot::robot()?));
    Ok(files)
}

/// The files of some models.
fn files_of(models: &[(&str, Made)]) -> Files {
    let mut files = Vec::new();
    for (name, made) in models {
        let text = shortened(&pfobj::write(&made.model));
        files.push((format!("{name}.pfobj"), text.into_bytes()));
        files.extend_from_slice(&made.textures);
    }
    files
}

/// Removes the trailing zeros of numbers, which are a third of a file.
pub(crate) fn shortened(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let shorter = |piece: &str| {
        let number = piece.trim_end_matches([' ', '/', '\n']);
        let (short, end) = match number.split_once('.') {
            Some((_, decimals)) if decimals.len() == 6 && number.parse::<f32>().is_ok() => (
                number.trim_end_matches('0').trim_end_matches('.'),
                &piece[number.len()..],
            ),
            _ => (piece, ""),
        };
        [short, end].concat()
    };
    text.split_inclusive([' ', '/', '\n'])
        .map(shorter)
        .collect()
}
