//! `mapscope diff --picture`: two files from the same camera, and the pixels that differ.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::cli::{DiffArgs, ImageArgs, display_name};
use super::diff::open_both;
use super::headless::{Headless, view_of};
use super::json::PictureDiffOutput;
use super::output::{self, Stdout};
use super::{CommandError, Status, layers_of, target};
use crate::images::painter::ScenePainter;
use crate::images::png_file::write_png;
use crate::images::series::Painter as _;
use crate::images::shots::Shot;
use mapscope_render::{Gpu, GpuOptions, View};
use mapscope_scene::camera::NamedView;
use mapscope_scene::saving::{PNG, files_read};
use mapscope_scene::{Document, OpenOptions};

/// Maximum side of the image of a whole 2D map, in pixels.
const MAX_FLAT_SIDE: u64 = 8192;
/// Brightness of unchanged pixels in the picture of the changes.
const UNCHANGED: f32 = 0.35;
/// Colour of changed pixels there.
const CHANGED: [u8; 3] = [255, 64, 160];
/// Bytes of a pixel.
const PIXEL: usize = 4;

/// Draws both files and their differences side by side.
pub(super) fn run(
    args: &DiffArgs,
    files: [&Path; 2],
    options: &OpenOptions,
    request: GpuOptions,
) -> Result<Status, CommandError> {
    let Some(path) = &args.output else {
        return Err(CommandError::Argument("expected --output".to_owned()));
    };
    let opened = open_both(files, options)?;
    let documents = [&*opened[0].document, &*opened[1].document];
    let formats = documents.map(|document| document.about().format);
    if formats[0].id != formats[1].id {
        let [a, b] = formats.map(|format| format.name);
        let text = format!("A is {a} and B is {b}; expected two files of one format");
        return Err(CommandError::Argument(text));
    }
    let read: Vec<PathBuf> = files
        .into_iter()
        .zip(documents)
        .flat_map(|(file, document)| files_read(file, document))
        .collect();
    target::check(path, PNG, &read, args.force)?;
    for document in documents {
        document.wait_until_complete();
    }
    let headless = Headless::new(Gpu::requested(request)?);
    let size = match (args.image.size, args.image.request.view) {
        // The larger map of both, as a whole.
        (None, Some(NamedView::Flat)) => flat_size(documents)?,
        _ => args.image.size(),
    };
    let image = &ImageArgs {
        size: Some(size),
        ..args.image.clone()
    };
    let aspect = size[0] as f32 / size[1] as f32;
    let views = documents.map(|document| view_of(image, document, aspect));
    let [first, second] = views;
    let first = first?;
    let second = View {
        camera: first.camera,
        ..second?
    };
    // The sky and the floor depend on the size of the document, and are no change of its own.
    let of_document = |view: &View| {
        let mut view = view.clone();
        view.shown.is_transparent = true;
        view
    };
    let [alone, other] = [
        pixels(&headless, documents[0], of_document(&first), size)?,
        pixels(&headless, documents[1], of_document(&second), size)?,
    ];
    let [before, after] = [
        pixels(&headless, documents[0], first, size)?,
        pixels(&headless, documents[1], second, size)?,
    ];
    let (changes, changed_px) = changes([&alone, &other], &after);
    let mut png = Vec::new();
    let row = size[0] as usize * PIXEL;
    write_png(&mut png, [size[0] * 3, size[1]], false, |rows| {
        let all = [&before, &after, &changes].map(|image| image.chunks_exact(row));
        let [before, after, changes] = all;
        for ((before, after), changes) in before.zip(after).zip(changes) {
            rows(&[before, after, changes].concat())?;
        }
        Ok::<_, io::Error>(())
    })?;
    target::write(path, &png)?;
    let all_px = u64::from(size[0]) * u64::from(size[1]);
    if args.json {
        let mut out = Stdout::lock();
        let [a, b] = files.map(display_name);
        let output = PictureDiffOutput {
            a,
            b,
            size,
            changed_px,
        };
        serde_json::to_writer_pretty(&mut out, &output).map_err(io::Error::from)?;
        writeln!(out)?;
        out.flush()?;
    } else {
        output::say(&format!("{changed_px} of {all_px} pixels differ"));
    }
    Ok(match changed_px {
        0 => Status::Done,
        _ => Status::FileErrors,
    })
}

/// The RGBA pixels of a document, row by row from the top.
fn pixels(
    headless: &Headless,
    document: &dyn Document,
    view: View,
    size: [u32; 2],
) -> Result<Vec<u8>, CommandError> {
    headless.target(size)?;
    let mut painter = ScenePainter::new(&headless.gpu, document, view, size, None)?;
    let mut pixels = Vec::new();
    let drawn = painter.draw(&Shot::numbered(0), &mut |rows| {
        pixels.extend_from_slice(rows);
        Ok(())
    });
    headless.check()?;
    drawn.map_err(|error| CommandError::Device(error.to_string()))?;
    Ok(pixels)
}

/// The size of the larger of two 2D maps, in pixels.
fn flat_size([a, b]: [&dyn Document; 2]) -> Result<[u32; 2], CommandError> {
    let [a, b] = [layers_of(a)?.flat_size(), layers_of(b)?.flat_size()];
    let side = |axis: usize| a[axis].max(b[axis]).clamp(1, MAX_FLAT_SIDE) as u32;
    Ok([side(0), side(1)])
}

/// The pixels that differ between the first two images over a dim third one, and their number.
fn changes([before, after]: [&[u8]; 2], shown: &[u8]) -> (Vec<u8>, u64) {
    let mut count = 0;
    let pixels = before.chunks_exact(PIXEL).zip(after.chunks_exact(PIXEL));
    let pixels = pixels.zip(shown.chunks_exact(PIXEL));
    let changes = pixels.flat_map(|((before, after), shown)| {
        let [r, g, b] = if before == after {
            let after = shown;
            let sum: u32 = after[..3].iter().map(|part| u32::from(*part)).sum();
            [(sum as f32 / 3.0 * UNCHANGED) as u8; 3]
        } else {
            count += 1;
            CHANGED
        };
        [r, g, b, 255]
    });
    let changes = changes.collect();
    (changes, count)
}
