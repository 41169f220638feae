//! The document's thumbnails as textures.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::Arc;

use egui::{TextureHandle, TextureOptions};

use super::document_key::DocumentKey;
use super::parts;
use mapscope_scene::Document;

/// Textures of a document's thumbnails, created when first shown and dropped with the document.
#[derive(Default)]
pub struct Thumbnails {
    of: DocumentKey,
    textures: HashMap<usize, TextureHandle>,
}

impl fmt::Debug for Thumbnails {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let textures = self.textures.len();
        f.debug_struct("Thumbnails")
            .field("textures", &textures)
            .finish_non_exhaustive()
    }
}

impl Thumbnails {
    /// Returns the texture of a thumbnail, or `None` while the document does not have it.
    pub fn get(
        &mut self,
        ctx: &egui::Context,
        document: &Arc<dyn Document>,
        index: usize,
    ) -> Option<egui::load::SizedTexture> {
        if self.of.changed_to(document) {
            self.textures.clear();
        }
        let texture = match self.textures.entry(index) {
            Entry::Occupied(there) => there.into_mut(),
            // Thumbnails of textures that are not loaded yet are requested again.
            Entry::Vacant(missing) => missing.insert(upload(ctx, document.as_ref(), index)?),
        };
        Some((&*texture).into())
    }
}

fn upload(ctx: &egui::Context, document: &dyn Document, index: usize) -> Option<TextureHandle> {
    let (width, height, rgba) = document.thumbnail(index)?;
    let image = parts::color_image([width, height], rgba)?;
    Some(ctx.load_texture(format!("thumbnail {index}"), image, TextureOptions::LINEAR))
}
