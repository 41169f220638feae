//! A document on the GPU.

use std::any::Any;

use glam::Affine3A;

use super::view_data::ViewData;
use crate::frame::{
    AnyRenderer, ContentData, GroundShadow, LocalView, UploadOptions, upload_skybox,
};
use crate::gpu::{Gpu, UploadError};
use crate::kinds::level::LevelData;
use mapscope_scene::{Document, Drawable, Environment, Shown};

/// A document on the GPU, with one view of it. Other views have a [`ViewData`] of their own
/// ([`Renderer::draw_view`]).
///
/// [`Renderer::draw_view`]: super::Renderer::draw_view
#[derive(Debug)]
pub struct SceneData {
    pub(super) contents: Contents,
    pub(super) view: ViewData,
}

/// The resources of a document, which all views share.
#[derive(Debug)]
pub(super) struct Contents {
    /// In the order in which the document first listed them.
    pub(super) list: Vec<Content>,
    /// Upload budget of each frame, in bytes; `None` to upload everything at once.
    bytes_per_frame: Option<u64>,
    /// Number of contents that are not uploaded yet.
    pending: usize,
    /// The sky of the document, if it consists of images.
    pub(super) skybox: Option<Skybox>,
}

/// A sky of images on the GPU.
#[derive(Debug)]
pub(super) struct Skybox {
    pub(super) view: wgpu::TextureView,
    bytes: u64,
}

/// Content on the GPU.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) key: ContentKey,
    /// The index of its renderer.
    pub(super) renderer: usize,
    /// `None` if the device has no room for it.
    pub(super) data: Option<Box<dyn ContentData>>,
    /// `true` if the document still lists it.
    is_listed: bool,
    /// `true` if all its placements are the identity.
    is_in_place: bool,
}

/// Identifies content: its address and its revision.
pub(super) type ContentKey = (usize, u64);

pub(super) fn key(drawable: &Drawable<'_>) -> ContentKey {
    ((&raw const *drawable.content).addr(), drawable.revision)
}

impl SceneData {
    /// Bytes of GPU memory.
    pub fn gpu_bytes(&self) -> u64 {
        let data = self.contents.list.iter().filter_map(|c| c.data.as_ref());
        let data = data.map(|data| data.gpu_bytes()).sum::<u64>();
        let skybox = self.contents.skybox.as_ref();
        data + skybox.map_or(0, |skybox| skybox.bytes) + self.view.gpu_bytes()
    }

    /// The number of uploaded chunks or contents and of all of them, for a document that is uploaded
    /// gradually; `None` once all are uploaded.
    pub fn progress(&self) -> Option<(usize, usize)> {
        let Contents { list, pending, .. } = &self.contents;
        let data = list.iter().filter_map(|content| content.data.as_ref());
        let progress = data.filter_map(|data| data.progress());
        let pending = (*pending > 0).then_some((list.len(), list.len() + pending));
        let all = progress.chain(pending);
        all.reduce(|(done, all), (more, of)| (done + more, all + of))
    }

    /// Sets whether flat faces of levels are merged where they are small on screen, which leaves
    /// occasional gaps of one pixel. The default is `true`.
    pub fn set_face_merging(&mut self, is_face_merging_on: bool) {
        let data = self.contents.list.iter_mut().find_map(|content| {
            let data: &mut dyn Any = &mut **content.data.as_mut()?;
            data.downcast_mut::<LevelData>()
        });
        if let Some(level) = data {
            level.set_face_merging(is_face_merging_on);
        }
    }
}

impl Contents {
    pub(super) fn new(bytes_per_frame: Option<u64>) -> Self {
        Self {
            list: Vec::new(),
            bytes_per_frame,
            pending: 0,
            skybox: None,
        }
    }

    /// Uploads new contents of a document, and removes those that are no longer listed. `place`
    /// gets each drawable with its content.
    ///
    /// # Errors
    /// The last error of an upload. Each is reported once.
    pub(super) fn update(
        &mut self,
        gpu: &Gpu,
        renderers: &[Box<dyn AnyRenderer>],
        (document, shown): (&dyn Document, &Shown),
        shared: Option<&Self>,
        place: &mut dyn FnMut(&dyn AnyRenderer, &Content, &Drawable<'_>),
    ) -> Result<(), UploadError> {
        let mut result = Ok(());
        let mut sent_bytes = 0;
        self.pending = 0;
        for content in &mut self.list {
            (content.is_listed, content.is_in_place) = (false, true);
        }
        document.for_each_drawable(shown, &mut |drawable| {
            let mut numbered = renderers.iter().enumerate();
            let Some((number, renderer)) = numbered.find(|(_, r)| r.draws(drawable.content)) else {
                log::error!("there is no renderer for this kind of content");
                return;
            };
            let key = key(&drawable);
            let at = self.list.iter().position(|content| content.key == key);
            if at.is_none() && !drawable.placements.is_empty() {
                if self.bytes_per_frame.is_some_and(|max| sent_bytes >= max) {
                    self.pending += 1;
                    return;
                }
                let of_other = shared.and_then(|other| {
                    let mut contents = other.list.iter();
                    contents.find(|content| content.renderer == number)
                });
                // Or an earlier revision of the same content, or of the document.
                let mut earlier = self.list.iter().filter(|c| c.renderer == number);
                let same = earlier.clone().find(|c| c.key.0 == key.0);
                let earlier = same.or_else(|| earlier.next_back());
                let shared = of_other.or(earlier);
                let options = UploadOptions {
                    shared: shared.and_then(|content| content.data.as_deref()),
                    bytes_per_frame: self.bytes_per_frame,
                };
                let data = renderer
                    .upload(gpu, drawable.content, options)
                    .unwrap_or_else(|error| {
                        result = Err(error);
                        None
                    });
                sent_bytes += data.as_ref().map_or(0, |data| data.gpu_bytes());
                self.list.push(Content {
                    key,
                    renderer: number,
                    data,
                    is_listed: true,
                    is_in_place: true,
                });
            }
            let at = at.unwrap_or(self.list.len().wrapping_sub(1));
            if let Some(content) = self.list.get_mut(at).filter(|content| content.key == key) {
                let mut placements = drawable.placements.iter();
                content.is_listed = true;
                content.is_in_place &= placements.all(|it| *it == Affine3A::IDENTITY);
                place(&**renderer, content, &drawable);
            }
        });
        self.list.retain(|content| content.is_listed);
        result
    }

    /// Uploads the images of the sky once, if the document has any.
    pub(super) fn upload_skybox(&mut self, gpu: &Gpu, environment: Option<&Environment>) {
        if self.skybox.is_none() {
            let skybox = environment.and_then(Environment::skybox);
            self.skybox = skybox.and_then(|skybox| {
                Some(Skybox {
                    view: upload_skybox(gpu, skybox)?,
                    bytes: skybox.cpu_bytes(),
                })
            });
        }
    }

    /// The shadow of the ground, if the document has ground.
    pub(super) fn ground(&self) -> Option<&GroundShadow> {
        let mut data = self.list.iter().filter_map(|c| c.data.as_ref());
        data.find_map(|data| data.ground_shadow())
    }

    /// World height of the water that a view shows, if any.
    pub(super) fn water_height(&self, local: &LocalView<'_>) -> Option<f32> {
        let mut in_place = self.list.iter().filter(|content| content.is_in_place);
        in_place.find_map(|content| content.data.as_ref()?.water_height(local))
    }
}
