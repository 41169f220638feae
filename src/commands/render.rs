//! `mapscope render`: a picture of a file, without a window.

use std::fs;
use std::io::{self, Cursor};
use std::path::Path;

use image::{ImageFormat, RgbaImage};

use super::cli::RenderArgs;
use super::headless::{self, Headless, view_of};
use super::output::{self, Tally};
use super::{CommandError, Status};
use crate::render::Renderer;
use crate::scene::registry::OpenOptions;

pub(super) fn run(args: &RenderArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    let (opened, headless) = headless::open(&args.file, options, &args.picture)?;
    let document = &*opened.document;
    let Headless { gpu, target, .. } = &headless;
    let mut renderer = Renderer::new(gpu);
    let mut scene = renderer.upload(gpu, document)?;
    let view = view_of(&args.picture, document, target.aspect());
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    renderer.draw(
        gpu,
        &mut encoder,
        target,
        Some((&mut scene, document)),
        &view,
    );
    gpu.queue.submit([encoder.finish()]);
    let picture = target.read_back(gpu).map_err(CommandError::Device)?;
    headless.check()?;
    write_picture(&args.output, &picture)?;
    output::note_problems(&args.file, document.problems());
    Ok(match Tally::of(document.problems()).errors {
        0 => Status::Done,
        _ => Status::FileErrors,
    })
}

/// Writes a PNG, whole or not at all.
fn write_picture(path: &Path, picture: &RgbaImage) -> Result<(), CommandError> {
    let error = |source| CommandError::Write {
        path: path.to_owned(),
        source,
    };
    let mut png = Cursor::new(Vec::new());
    picture
        .write_to(&mut png, ImageFormat::Png)
        .map_err(|e| error(io::Error::other(e)))?;
    replace_file(path, &png.into_inner()).map_err(error)
}

fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A device or a pipe cannot be replaced, only written to.
    if fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return fs::write(path, bytes);
    }
    let Some(name) = path.file_name() else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    let mut part_name = name.to_owned();
    part_name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(part_name);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // There may be nothing to remove; the first error is the one that matters.
        let _gone = fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("größe.png");
        replace_file(&path, b"old").unwrap();
        replace_file(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(replace_file(&dir.path().join("no/such.png"), b"x").is_err());
        assert!(replace_file(dir.path(), b"x").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
