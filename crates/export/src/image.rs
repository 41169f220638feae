//! PNG export: the flat image of a 2D map or a tileset, pixel by pixel.

use crate::{Export, ExportError, Target};
use mapscope_scene::saving::PNG;
use mapscope_scene::{Document, Shown};

/// Maximum number of pixels of an image that is rendered as a whole. No map whose layers fit in
/// memory has more, unless its layers lie far apart.
const MAX_PIXELS: u64 = 1 << 36;

/// The image targets of a document.
pub(crate) fn targets(document: &dyn Document) -> Vec<Target> {
    let target = Target {
        kind: PNG,
        what: |_| "all layers as the game draws them, at rest, pixel by pixel",
        make,
        mirrored: None,
    };
    document.layers().map(|_| target).into_iter().collect()
}

fn make(document: &dyn Document, _stem: &str) -> Result<Export, ExportError> {
    let Some(layers) = document.layers() else {
        return Ok(Export::default());
    };
    let [width, height] = layers.flat_size();
    let too_large = || ExportError::ImageTooLarge { width, height };
    if width.saturating_mul(height) > MAX_PIXELS {
        return Err(too_large());
    }
    let shown = Shown {
        flat: true,
        ..Shown::default()
    };
    let mut file = Vec::new();
    let written = layers.flat(&shown).write_png(&mut file);
    // Writing to memory cannot fail, so the image must be too large.
    written.map_err(|_| too_large())?;
    Ok(Export {
        file,
        ..Export::default()
    })
}
