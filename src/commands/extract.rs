//! `mapscope extract`: the files of the archive that a map embeds, and its textures as PNG.

use std::fmt::Display;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};

use super::cli::ExtractArgs;
use super::output::{self, Stdout, counted};
use super::{CommandError, Status, interrupt, source, target};
use mapscope_export::archive::{self, ArchiveFile, MAX_GROWTH};
use mapscope_formats::pmf::archive::Archive;
use mapscope_scene::saving::PNG;
use mapscope_scene::{Document, OpenOptions, saving};

pub(super) fn run(args: &ExtractArgs, options: &OpenOptions) -> Result<Status, CommandError> {
    let opened = source::open(&args.file, options)?;
    let document = &*opened.document;
    let Some(archive) = archive::archive(document) else {
        return Err(CommandError::Argument(format!(
            "{}: there is no archive in this {}; PMF maps may have one",
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
    interrupt::hold();
    let read = saving::files_read(&args.file, document);
    let mut writing = Writing {
        args,
        archive,
        folder,
        read,
        written: [0; 2],
        failed: 0,
    };
    // All that is to be written may be, or nothing is.
    for is_checked in [true, false] {
        writing.begin();
        for file in &files {
            writing.write(file, is_checked)?;
        }
    }
    Ok(writing.conclude(document))
}

/// The bytes of one file on standard output.
fn print(files: &[ArchiveFile<'_>]) -> Result<Status, CommandError> {
    let [file] = files else {
        return Err(CommandError::Argument(format!(
            "--output -: standard output takes one file, and these are {}; expected a folder, or one \
             NAME",
            files.len()
        )));
    };
    target::check_stdout("--output -")?;
    let bytes = file.bytes();
    let bytes = bytes.map_err(|error| CommandError::Argument(format!("{}: {error}", file.path)))?;
    target::write(Path::new("-"), &bytes)?;
    Ok(Status::Done)
}

/// The paths of files, each on a line.
fn list(files: &[ArchiveFile<'_>]) -> Result<Status, CommandError> {
    let mut out = Stdout::lock();
    for file in files {
        writeln!(out, "{}", output::printable(&file.path))?;
    }
    out.flush()?;
    Ok(Status::Done)
}

/// The files that are asked for by their paths, by folders or by patterns; all if none is.
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
        // As shells complete paths.
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
                "`{given}`: there is no such file in the archive; `mapscope extract {}` lists them",
                args.file.display()
            )));
        }
    }
    let files = files.into_iter().zip(is_chosen);
    Ok(files
        .filter_map(|(file, is_chosen)| is_chosen.then_some(file))
        .collect())
}

/// Refuses files that share their bytes so that a small archive would fill a disk.
fn check_size(files: &[ArchiveFile<'_>], file_bytes: u64) -> Result<(), CommandError> {
    let size: u64 = files.iter().map(ArchiveFile::size).sum();
    let max = file_bytes.saturating_mul(MAX_GROWTH);
    if size > max {
        return Err(CommandError::Argument(format!(
            "the files are {size} bytes together, and {file_bytes} bytes of a map hold at most {max}; \
             name those that are wanted"
        )));
    }
    Ok(())
}

/// Files that go into a folder.
struct Writing<'a> {
    args: &'a ExtractArgs,
    archive: &'a Archive,
    folder: &'a Path,
    /// Files that are never written over.
    read: Vec<PathBuf>,
    /// How many files, and how many textures as PNG.
    written: [usize; 2],
    failed: usize,
}

impl Writing<'_> {
    /// Begins to go through the files.
    fn begin(&mut self) {
        (self.written, self.failed) = ([0; 2], 0);
    }

    /// Writes a file and, of a texture, its image, or only makes sure that they may be. What cannot be
    /// is said, and the others follow.
    fn write(&mut self, file: &ArchiveFile<'_>, is_checked: bool) -> Result<(), CommandError> {
        let (path, bytes) = match (file.path_in_folder(), file.bytes()) {
            (Ok(path), Ok(bytes)) => (path, bytes),
            (Err(error), _) => {
                self.fail(file, &error, is_checked);
                return Ok(());
            }
            (_, Err(error)) => {
                self.fail(file, &error, is_checked);
                return Ok(());
            }
        };
        self.put(&path, &bytes, is_checked)?;
        self.written[0] += 1;
        let image_path = path.with_extension(PNG.ending);
        let is_free = image_path
            .to_str()
            .is_some_and(|path| self.archive.find(path).is_none());
        if self.args.raw || !is_free {
            return Ok(());
        }
        match archive::texture_png(&bytes) {
            Some(Ok(image)) => {
                self.put(&image_path, &image, is_checked)?;
                self.written[1] += 1;
            }
            Some(Err(error)) => self.fail(file, &error, is_checked),
            None => {}
        }
        Ok(())
    }

    /// Says once why a file is not written.
    fn fail(&mut self, file: &ArchiveFile<'_>, why: &dyn Display, is_checked: bool) {
        if !is_checked {
            output::say(&format!("{}: {why}", file.path));
        }
        self.failed += 1;
    }

    /// Writes a file, or only makes sure that it may be. One that is there stays unless it is the same
    /// or may be replaced.
    fn put(&self, path: &Path, bytes: &[u8], is_checked: bool) -> Result<(), CommandError> {
        let path = self.folder.join(path);
        let refused = |path: &Path, why: &dyn Display| {
            Err(CommandError::Argument(format!("{}: {why}", path.display())))
        };
        interrupt::check()?;
        let folders = path
            .ancestors()
            .skip(1)
            .take_while(|at| !at.as_os_str().is_empty());
        for folder in folders {
            if folder.exists() && !folder.is_dir() {
                return refused(folder, &"this is a file, and a folder is needed there");
            }
        }
        match fs::metadata(&path) {
            Ok(there) if !there.is_file() => {
                return refused(&path, &"what is there is no file, and one is to be written");
            }
            Ok(_) if fs::read(&path).is_ok_and(|there| there == bytes) => return Ok(()),
            Ok(_) if !self.args.force => {
                let why = "this file exists and is another one (--force replaces it)";
                return refused(&path, &why);
            }
            _ => {}
        }
        if is_checked {
            let checked = match path.parent() {
                Some(folder) if !folder.exists() => Ok(()),
                _ => PNG.check_unnamed_target(&path, &self.read, true),
            };
            return checked.or_else(|error| refused(&path, &error));
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|source| CommandError::Write {
                path: folder.to_owned(),
                source,
            })?;
        }
        target::write(&path, bytes)
    }

    /// Says what was done.
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
