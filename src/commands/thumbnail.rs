//! `mapscope thumbnail`: the thumbnail of a file for file managers.
//!
//! It exits with status 0 whenever there is a picture, even if the file has errors: a file manager
//! would otherwise discard it. Nothing here needs a display, and 2D maps need no graphics adapter.

use std::io;

use image::imageops::{self, FilterType};
use image::{ImageFormat, RgbaImage};

use super::cli::{ImageArgs, ThumbnailArgs};
use super::headless::{Headless, view_of};
use super::{CommandError, Status, flat_size_of, source, target};
use crate::view_request::ViewRequest;
use mapscope_render::{Gpu, GpuOptions, Renderer};
use mapscope_scene::saving::{self, PNG};
use mapscope_scene::{Document, OpenOptions};

/// Rendered pixels per thumbnail pixel, along each axis.
const OVERSAMPLING: u32 = 2;

pub(super) fn run(
    args: &ThumbnailArgs,
    options: &OpenOptions,
    request: GpuOptions,
) -> Result<Status, CommandError> {
    let opened = source::open(&args.file, options)?;
    let document = &*opened.document;
    let read = saving::files_read(&args.file, document);
    PNG.check_unnamed_target(&args.output, &read, false)
        .map_err(|error| CommandError::Argument(format!("{}: {error}", args.output.display())))?;
    let picture = match flat(document, args.size)? {
        Some(picture) => picture,
        None => drawn(document, args.size, request)?,
    };
    // The encoder seeks back to its start.
    let mut png = io::Cursor::new(Vec::new());
    target::defer_interrupts_for(&args.output);
    let encoded = picture.write_to(&mut png, ImageFormat::Png);
    encoded
        .map_err(io::Error::other)
        .and_then(|()| saving::write_atomically(&args.output, |out| out.write_all(png.get_ref())))
        .map_err(|source| CommandError::Write {
            path: args.output.clone(),
            source,
        })?;
    Ok(Status::Done)
}

/// The picture of a whole 2D map; `None` for other documents.
fn flat(document: &dyn Document, size_px: u32) -> Result<Option<RgbaImage>, CommandError> {
    let Some(layers) = document.layers() else {
        return Ok(None);
    };
    flat_size_of(layers)?;
    let asked = ViewRequest::default().shown(document);
    let mut shown = asked.map_err(CommandError::Argument)?;
    shown.flat = true;
    let image = layers.flat(&shown).scaled_down(size_px);
    let [width, height] = image.size;
    Ok(RgbaImage::from_raw(width, height, image.rgba))
}

/// A square picture of a 3D document, as `render` draws it.
fn drawn(
    document: &dyn Document,
    size_px: u32,
    request: GpuOptions,
) -> Result<RgbaImage, CommandError> {
    let large_px = size_px * OVERSAMPLING;
    let image = ImageArgs {
        size: Some([large_px; 2]),
        projection: None,
        request: ViewRequest::default(),
    };
    let headless = Headless::new(Gpu::requested(request)?);
    let gpu = &headless.gpu;
    let target = &headless.target(image.size())?;
    let view = view_of(&image, document, target.aspect())?;
    let mut renderer = Renderer::new(gpu);
    let mut scene = renderer.upload(gpu, document)?;
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    renderer.draw(
        gpu,
        &mut encoder,
        target,
        Some((&mut scene, document)),
        &view,
    );
    gpu.queue.submit([encoder.finish()]);
    let large = target.read_back(gpu).map_err(CommandError::Device)?;
    headless.check()?;
    Ok(imageops::resize(
        &large,
        size_px,
        size_px,
        FilterType::Triangle,
    ))
}
