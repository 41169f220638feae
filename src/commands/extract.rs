//! `mapscope extract`: the files of an archive or of the archive in a map, and its textures as PNG.

use std::fmt::Display;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};

use super::cli::ExtractArgs;
use super::output::{self, Stdout, counted};
use super::{CommandError, Status, interrupt, source, target};
use mapscope_export::archive::{self, ArchiveFile, MAX_GROWTH};
use mapscope_formats::paf::Archive;
use mapscope_scene::{Document, OpenOptions, saving};

pub(super) fn run(args: &ExtractArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    let opened = source::open(&args.file, options)?;
    let document = &*opened.document;
    let Some(archive) = document.archive() else {
        return Err(CommandError::Argument(format!(
            "{}: this {} has no archive; expected a PAF archive or a PMF map with one",
            args.file.display(),
            document.about().format.name
        )));
    };
    let files = chosen(args, archive::files(archive))?;
    let Some(folder) = &args.output else {
        return list(&files);
    };
    if target::is_stdout(folder) {
        return print(&files);
    }
    check_size(&files, opened.bytes.len() as u64)?;
    let mut writing = Writing {
        args,
        folder,
        read: saving::files_read(&args.file, document),
        written: [0; 2],
        failed: 0,
    };
    if args.names.is_empty() {
        for (path, reason) in archive::skipped(archive) {
            output::say(&format!("{}: skipped: {reason}", output::printable(&path)));
        }
    }
    let planned = writing.plan(archive, &files);
    // Check all files before the first one is written.
    for file in &planned {
        writing.check(file)?;
    }
    for file in &planned {
        writing.write(file)?;
    }
    Ok(writing.conclude(document))
}

/// Writes the bytes of one file to standard output.
fn print(files: &[ArchiveFile<'_>]) -> Result<Status, CommandError> {
    let [file] = files else {
        return Err(CommandError::Argument(format!(
            "--output -: standard output takes one file, found {} files; expected a folder, or the NAME \
             of one file",
            files.len()
        )));
    };
    target::check_stdout("--output -")?;
    let bytes = file.bytes();
    let bytes = bytes.map_err(|error| CommandError::Argument(format!("{}: {error}", file.path)))?;
    target::write(Path::new("-"), &bytes)?;
    Ok(Status::Done)
}

/// Prints the paths of files, one per line.
fn list(files: &[ArchiveFile<'_>]) -> Result<Status, CommandError> {
    let mut out = Stdout::lock();
    for file in files {
        writeln!(out, "{}", output::printable(&file.path))?;
    }
    out.flush()?;
    Ok(Status::Done)
}

/// Selects files by path, folder or pattern; all files if no name is given.
fn chosen<'a>(
    args: &ExtractArgs,
    files: Vec<ArchiveFile<'a>>,
) -> Result<Vec<ArchiveFile<'a>>, CommandError> {
    if args.names.is_empty() {
        return Ok(files);
    }
    let options = MatchOptions {
        require_literal_separator: true,
        ..MatchOptions::default()
    };
    let mut is_chosen = vec![false; files.len()];
    for given in &args.names {
        // Accept the forms that shells complete.
        let name = given.trim_start_matches("./").trim_start_matches('/');
        let pattern = Pattern::new(name).ok();
        let folder = format!("{}/", name.trim_end_matches('/'));
        let mut found = false;
        for (file, is_chosen) in files.iter().zip(&mut is_chosen) {
            let matches = file.path == name
                || file.path.starts_with(&folder)
                || pattern
                    .as_ref()
                    .is_some_and(|pattern| pattern.matches_with(&file.path, options));
            *is_chosen |= matches;
            found |= matches;
        }
        if !found {
            return Err(CommandError::Argument(format!(
                "`{given}`: not found in the archive; `mapscope extract {}` lists its files",
                args.file.display()
            )));
        }
    }
    let files = files.into_iter().zip(is_chosen);
    Ok(files
        .filter_map(|(file, is_chosen)| is_chosen.then_some(file))
        .collect())
}

/// Refuses files that share their bytes, so that a small archive cannot fill a disk.
fn check_size(files: &[ArchiveFile<'_>], file_bytes: u64) -> Result<(), CommandError> {
    let size: u64 = files.iter().map(ArchiveFile::size).sum();
    let max = file_bytes.saturating_mul(MAX_GROWTH);
    if size > max {
        return Err(CommandError::Argument(format!(
            "the files have {size} bytes in total, but at most {max} are extracted from a file of \
             {file_bytes} bytes; name the files to extract"
        )));
    }
    Ok(())
}

/// A file to write into a folder.
struct Planned<'a> {
    file: &'a ArchiveFile<'a>,
    /// Its path relative to the folder.
    path: PathBuf,
    /// The path of its image, if it is a texture.
    image: Option<PathBuf>,
}

/// Extraction of files into a folder.
struct Writing<'a> {
    args: &'a ExtractArgs,
    folder: &'a Path,
    /// Input files, which are never overwritten.
    read: Vec<PathBuf>,
    /// Number of files, and of textures as PNG.
    written: [usize; 2],
    failed: usize,
}

impl Writing<'_> {
    /// Chooses the paths of files and of texture images. Files that cannot be written are reported.
    fn plan<'f>(&mut self, archive: &Archive, files: &'f [ArchiveFile<'f>]) -> Vec<Planned<'f>> {
        let mut planned = Vec::new();
        let mut textures = Vec::new();
        for file in files {
            let path = match file.path_in_folder() {
                Ok(path) => path,
                Err(error) => {
                    self.fail(file, &error);
                    continue;
                }
            };
            let is_texture = match file.bytes() {
                Ok(bytes) => archive::is_texture(&bytes) && !self.args.raw,
                Err(error) => {
                    self.fail(file, &error);
                    continue;
                }
            };
            if is_texture {
                textures.push((planned.len(), path.clone()));
            }
            let image = None;
            planned.push(Planned { file, path, image });
        }
        let (places, paths): (Vec<_>, Vec<_>) = textures.into_iter().unzip();
        for (at, image) in places
            .into_iter()
            .zip(archive::image_paths(archive, &paths))
        {
            if let Some(planned) = planned.get_mut(at) {
                planned.image = image;
            }
        }
        planned
    }

    /// Checks that a file and its texture image, if any, may be written.
    fn check(&self, Planned { file, path, image }: &Planned<'_>) -> Result<(), CommandError> {
        self.is_there(path, || Some(file.bytes().ok()?.to_vec()))?;
        if let Some(path) = image {
            self.is_there(path, || archive::texture_png(&file.bytes().ok()?)?.ok())?;
        }
        Ok(())
    }

    /// Writes a file and its texture image, if any. Failures are reported and do not stop the
    /// others.
    fn write(&mut self, Planned { file, path, image }: &Planned<'_>) -> Result<(), CommandError> {
        let bytes = match file.bytes() {
            Ok(bytes) => bytes,
            Err(error) => {
                self.fail(file, &error);
                return Ok(());
            }
        };
        self.put(path, &bytes)?;
        self.written[0] += 1;
        let Some(path) = image else {
            return Ok(());
        };
        match archive::texture_png(&bytes) {
            Some(Ok(image)) => {
                self.put(path, &image)?;
                self.written[1] += 1;
            }
            Some(Err(error)) => self.fail(file, &error),
            None => {}
        }
        Ok(())
    }

    /// Writes a file and its texture image, if any. Files that cannot be decoded are reported and
    /// skipped.
    fn fail(&mut self, file: &ArchiveFile<'_>, why: &dyn Display) {
        output::say(&format!("{}: {why}", file.path));
        self.failed += 1;
    }

    /// `true` if a file already exists with the right content. A different file is refused unless
    /// it may be replaced. `bytes` is called only for the comparison.
    fn is_there(
        &self,
        path: &Path,
        bytes: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Result<bool, CommandError> {
        let refused = |path: &Path, why: &dyn Display| {
            Err(CommandError::Argument(format!("{}: {why}", path.display())))
        };
        // The folder itself may be a link, since the user named it.
        let below = path.ancestors().map(|below| self.folder.join(below));
        for below in below.take_while(|below| below != self.folder) {
            if below.is_symlink() {
                return refused(
                    &below,
                    &"expected a file or folder, found a link; links are not followed",
                );
            }
        }
        let path = self.folder.join(path);
        let folders = path.ancestors().skip(1);
        for folder in folders.take_while(|at| !at.as_os_str().is_empty()) {
            if folder.exists() && !folder.is_dir() {
                return refused(folder, &"expected a folder, found a file");
            }
        }
        let Ok(there) = fs::metadata(&path) else {
            return Ok(false);
        };
        if !there.is_file() {
            return refused(&path, &"expected a file, found something else");
        }
        if fs::read(&path).is_ok_and(|there| bytes().is_none_or(|bytes| bytes == there)) {
            return Ok(true);
        }
        if !self.args.force {
            let why = "a different file exists (--force replaces it)";
            return refused(&path, &why);
        }
        saving::is_free(&path, &self.read).or_else(|error| refused(&path, &error))
    }

    /// Writes a file unless it already exists with this content.
    fn put(&self, path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
        interrupt::check()?;
        if self.is_there(path, || Some(bytes.to_vec()))? {
            return Ok(());
        }
        let path = self.folder.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|source| CommandError::Write {
                path: folder.to_owned(),
                source,
            })?;
        }
        target::write(&path, bytes)
    }

    /// Reports the result.
    fn conclude(self, document: &dyn Document) -> Status {
        let [files, images] = self.written;
        let images = match images {
            0 => String::new(),
            images => format!(", {} also as PNG,", counted(images, "texture")),
        };
        let (files, folder) = (counted(files, "file"), self.folder.display());
        output::say(&format!("{files}{images} in {folder}"));
        let problems = &document.about().problems;
        output::note_problems(&self.args.file, problems);
        match self.failed {
            0 => Status::of(problems),
            _ => Status::FileErrors,
        }
    }
}
