//! PNG export: the flat image of a 2D map or a tileset, pixel by pixel, or the layout of a texture.

use crate::{Export, ExportError, Target, png_of};
use mapscope_scene::saving::PNG;
use mapscope_scene::{Document, Item, Shown, Textures};

/// Maximum number of pixels of an image that is rendered as a whole. No map whose layers fit in
/// memory has more, unless its layers lie far apart.
const MAX_PIXELS: u64 = 1 << 36;

/// The image targets of a document.
pub(crate) fn targets(document: &dyn Document) -> Vec<Target> {
    let target = Target {
        kind: PNG,
        what: |document| {
            if crate::has_cells(document) {
                "all layers as the game draws them, at rest, pixel by pixel"
            } else {
                "the picture, pixel by pixel"
            }
        },
        make,
        mirrored: None,
    };
    let layout = Target {
        what: |_| "the UV layout of a material: white lines, as large as its texture",
        make: |document, _| {
            let textures = document.textures();
            let texture = textures.and_then(Textures::first_with_layout);
            let file = texture.and_then(|texture| uv_layout(document, texture));
            Ok(Export {
                file: file.unwrap_or_default(),
                ..Export::default()
            })
        },
        ..target
    };
    let has_layout = || document.textures()?.first_with_layout();
    match document.layers() {
        Some(_) => vec![target],
        None => has_layout().map(|_| layout).into_iter().collect(),
    }
}

/// A PNG of the layout of the triangles that show a texture: white lines on a transparent image as
/// large as that of the texture. `None` if the texture has no layout, or is not read yet.
pub fn uv_layout(document: &dyn Document, texture: Item) -> Option<Vec<u8>> {
    let textures = document.textures()?;
    let layout = textures.layout(texture)?;
    let listed = textures.representative(texture);
    let mut list = textures.list().into_iter();
    let info = list.find(|info| Some(info.item) == listed);
    let size = info.and_then(|info| info.size);
    let size = size.or_else(|| Some(textures.image(texture)?.size))?;
    let image = layout.draw(size);
    Some(png_of(image.size, &image.rgba))
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
