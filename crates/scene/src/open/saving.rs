//! Writing files: atomically, and never over a file that was read.
//!
//! Commands and the window share this code, so that the rules for replacing files exist once
//! (contract, "The commands and JSON that others rely on").

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use mapscope_formats::Format;
use thiserror::Error;

use super::identify_format;
use crate::Document;
use crate::core::source::Source;
use crate::core::system::system_reason;

/// A kind of output file. Kinds are compared by name.
#[derive(Debug, Clone, Copy)]
pub struct FileKind {
    /// Its display name.
    pub name: &'static str,
    /// Lower-case file extension, without the dot.
    pub ending: &'static str,
    content: Content,
}

/// The test that recognises files of a kind.
#[derive(Debug, Clone, Copy)]
enum Content {
    /// The bytes that every such file begins with.
    Signature(&'static [u8]),
    /// A function that examines all bytes of a file.
    Check(fn(&[u8]) -> bool),
}

impl FileKind {
    /// Defines a kind of file by its display name, its lower-case extension, and the bytes that
    /// every such file begins with.
    pub const fn new(name: &'static str, ending: &'static str, signature: &'static [u8]) -> Self {
        Self {
            name,
            ending,
            content: Content::Signature(signature),
        }
    }

    /// Like [`FileKind::new`], for kinds without a signature of their own: `check` recognises a
    /// file by its bytes.
    pub const fn with_check(
        name: &'static str,
        ending: &'static str,
        check: fn(&[u8]) -> bool,
    ) -> Self {
        Self {
            name,
            ending,
            content: Content::Check(check),
        }
    }
}

impl PartialEq for FileKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for FileKind {}

/// Maximum length of a chain of links, as in Linux.
const MAX_LINKS: usize = 40;

/// Number of characters of a file's name that its temporary file keeps. With random letters and a
/// suffix, the name has at most 255 bytes, the limit of common file systems.
const MAX_PREFIX_CHARS: usize = 60;

const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Portable Network Graphics.
pub const PNG: FileKind = FileKind::new("PNG", "png", PNG_SIGNATURE);

/// PNG with several frames.
pub const APNG: FileKind = FileKind::new("APNG", "apng", PNG_SIGNATURE);

/// Graphics Interchange Format, which may have several frames.
pub const GIF: FileKind = FileKind::new("GIF", "gif", b"GIF8");

/// JavaScript Object Notation: one object.
pub const JSON: FileKind = FileKind::new("JSON", "json", b"{");

/// Scalable Vector Graphics, as written by this program.
pub const SVG: FileKind = FileKind::new("SVG", "svg", b"<svg");

/// Markdown that begins with a heading.
pub const MARKDOWN: FileKind = FileKind::new("Markdown", "md", b"# ");

/// Reason why a file is not written.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The name has the extension of another kind of file.
    #[error("only {} files can be written; expected a name that ends in .{}", .0.name, .0.ending)]
    Ending(FileKind),
    /// The target is the open file, or one that was read with it, such as a texture.
    #[error("input files are never overwritten; choose another name")]
    WasRead,
    /// The target's folder does not exist.
    #[error("there is no such folder")]
    NoFolder,
    /// A file of another kind exists there.
    #[error("this file exists and is not a {} file", .0.name)]
    OtherKind(FileKind),
    /// A file of another format exists there.
    #[error("this file exists and is not a {} file", .0.name)]
    OtherFormat(&'static Format),
    /// A file of the same kind exists there that the user did not name.
    #[error("this file exists and was not written by an export")]
    NotOurs,
    /// A read-only file exists there.
    #[error("this file exists and is read-only")]
    ReadOnly,
    /// The system reported an error.
    #[error("{}", system_reason(.0, "file"))]
    Io(#[from] io::Error),
}

impl SaveError {
    /// `true` if the file would be written with permission to replace any file.
    pub fn can_be_forced(&self) -> bool {
        matches!(
            self,
            Self::OtherKind(_) | Self::OtherFormat(_) | Self::NotOurs | Self::ReadOnly
        )
    }
}

/// The file of a document, and all files that were read or looked for with it.
pub fn files_read(path: &Path, document: &dyn Document) -> Vec<PathBuf> {
    let mut files = document.about().dependencies.clone();
    files.push(path.to_owned());
    files
}

impl FileKind {
    /// Adds the extension of this kind to a path without an extension.
    pub fn with_ending(&self, path: &Path) -> PathBuf {
        if path.extension().is_none() {
            path.with_extension(self.ending)
        } else {
            path.to_owned()
        }
    }

    /// Checks that a file of this kind may be written to a path. An existing file may be replaced
    /// if it is writable and of this kind or empty, or in any case if `replace_any`. The files in
    /// `read` are never replaced, under any of their names.
    ///
    /// # Errors
    /// If it may not be written.
    pub fn check_target(
        &self,
        path: &Path,
        read: &[PathBuf],
        replace_any: bool,
    ) -> Result<(), SaveError> {
        let ending = path.extension().and_then(OsStr::to_str);
        let is_of_kind = ending.is_some_and(|ending| ending.eq_ignore_ascii_case(self.ending));
        if !is_of_kind && !fs::metadata(path).is_ok_and(|meta| is_stream(&meta)) {
            return Err(SaveError::Ending(*self));
        }
        self.check_unnamed_target(path, read, replace_any)
    }

    /// Like [`FileKind::check_target`], with any extension: for names that other programs generate.
    ///
    /// # Errors
    /// If it may not be written.
    pub fn check_unnamed_target(
        &self,
        path: &Path,
        read: &[PathBuf],
        replace_any: bool,
    ) -> Result<(), SaveError> {
        if is_free(path, read)? || replace_any {
            return Ok(());
        }
        if !self.is_kind_of(path)? {
            return Err(SaveError::OtherKind(*self));
        }
        check_writable(path)
    }

    /// `true` if a file is of this kind or empty.
    fn is_kind_of(&self, path: &Path) -> io::Result<bool> {
        let mut bytes = Vec::new();
        let file = File::open(path)?;
        match self.content {
            Content::Signature(signature) => {
                file.take(signature.len() as u64).read_to_end(&mut bytes)?;
                Ok(bytes.is_empty() || bytes == signature)
            }
            Content::Check(check) => {
                (&file).read_to_end(&mut bytes)?;
                Ok(bytes.is_empty() || check(&bytes))
            }
        }
    }
}

/// Checks that a file of an input format may be written to a path, as [`FileKind::check_target`]
/// does for other kinds. The format of an existing file is identified by its content, not its name.
///
/// # Errors
/// If it may not be written.
pub fn check_format_target(
    format: &'static Format,
    path: &Path,
    read: &[PathBuf],
    replace_any: bool,
) -> Result<(), SaveError> {
    if is_free(path, read)? || replace_any {
        return Ok(());
    }
    let source = Source {
        path: PathBuf::new(),
        bytes: fs::read(path)?.into(),
        embedded: &[],
        archive: None,
    };
    let is_of_format = || match identify_format(&source) {
        Ok(found) => found.id == format.id,
        // Images are written but not opened.
        Err(_) => (format.sniff)(&source.bytes),
    };
    if !source.bytes.is_empty() && !is_of_format() {
        return Err(SaveError::OtherFormat(format));
    }
    check_writable(path)
}

/// Checks that a file is not read-only. The system does not prevent this, since the file is
/// replaced rather than written to.
fn check_writable(path: &Path) -> Result<(), SaveError> {
    if fs::metadata(path)?.permissions().readonly() {
        Err(SaveError::ReadOnly)
    } else {
        Ok(())
    }
}

/// Returns `true` if writing to a path replaces nothing, and `false` if the path has a file that
/// was not read.
///
/// # Errors
/// If the path has a file that was read, or there is no folder to write in.
pub fn is_free(path: &Path, read: &[PathBuf]) -> Result<bool, SaveError> {
    let exists = fs::metadata(path).ok();
    if exists.as_ref().is_some_and(is_stream) {
        return Ok(true);
    }
    if exists.is_none() {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        return match folder {
            Some(folder) if !folder.is_dir() => Err(SaveError::NoFolder),
            _ => Ok(true),
        };
    }
    // A missing or inaccessible file was not read either. Only regular files are compared, since
    // opening a pipe would block until something writes to it.
    let is_file = |path: &Path| fs::metadata(path).is_ok_and(|data| data.is_file());
    let same = |other: &PathBuf| {
        is_file(path) && is_file(other) && same_file::is_same_file(path, other).unwrap_or(false)
    };
    if read.iter().any(same) {
        return Err(SaveError::WasRead);
    }
    Ok(false)
}

/// `true` for a device or pipe, which can only be written to, not replaced.
fn is_stream(meta: &fs::Metadata) -> bool {
    !meta.is_file() && !meta.is_dir()
}

/// The file that would be created at a path without a file: the end of its chain of links, if it
/// has one.
fn resolve_link_chain(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&target) else {
            break;
        };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    target
}

/// The permissions of a file without the setuid and setgid bits.
fn permissions_of_file(meta: &fs::Metadata) -> fs::Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::Permissions::from_mode(meta.permissions().mode() & 0o777)
    }
    #[cfg(not(unix))]
    meta.permissions()
}

/// The temporary files of all writes in progress.
static TEMP_FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file, registered until it is dropped.
struct TempFileGuard(PathBuf);

impl TempFileGuard {
    fn new(path: &Path) -> Self {
        let mut all = TEMP_FILES.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for TempFileGuard {
    fn drop(&mut self) {
        let mut all = TEMP_FILES.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|path| *path != self.0);
    }
}

/// Removes the temporary files of all writes in progress. Only for a process that ends at once,
/// since later writes would fail.
pub fn remove_temp_files() {
    let all = TEMP_FILES.lock().unwrap_or_else(PoisonError::into_inner);
    for path in all.iter() {
        // It may be finished or gone by now.
        let _gone = fs::remove_file(path);
    }
}

/// Writes a file atomically: into a temporary file beside it, which then replaces it. A link stays
/// a link, and its target is replaced.
///
/// # Errors
/// If the folder is not writable or `write` fails; the previous file then stays.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let meta = match fs::metadata(path) {
        Ok(meta) => Some(meta),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if meta.as_ref().is_some_and(is_stream) {
        let mut out = BufWriter::new(File::create(path)?);
        preserving_error(&mut out, write)?;
        return out.flush();
    }
    let target = match meta {
        Some(_) => path.canonicalize()?,
        None => resolve_link_chain(path),
    };
    let (Some(name), Some(folder)) = (target.file_name(), target.parent()) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    // Shortened, so that a file with the longest possible name can be written.
    let prefix: String = name
        .to_string_lossy()
        .chars()
        .take(MAX_PREFIX_CHARS)
        .collect();
    let prefix = format!("{prefix}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    let permissions = meta.as_ref().map(permissions_of_file);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Within the user's umask: the permissions of the replaced file, or those of any new file.
        let new = || fs::Permissions::from_mode(0o666);
        builder.permissions(permissions.clone().unwrap_or_else(new));
    }
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let part = builder
        .tempfile_in(folder)
        .map_err(|error| refused(&error))?;
    let _unfinished = TempFileGuard::new(part.path());
    // Not through the temporary file handle, whose errors name a path unknown to the user.
    let mut out = BufWriter::new(part.as_file());
    preserving_error(&mut out, write)?;
    out.flush()?;
    drop(out);
    if let Some(permissions) = permissions {
        part.as_file().set_permissions(permissions)?;
    }
    part.persist(&target)?;
    Ok(())
}

/// Runs `write` and returns the original error of `out`, which encoders reduce to its text.
///
/// # Errors
/// The error of the writer, or else that of `write`.
pub fn preserving_error(
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut capture = ErrorCapture { out, error: None };
    let written = write(&mut capture);
    match capture.error {
        Some(error) if written.is_err() => Err(error),
        _ => written,
    }
}

/// A writer that keeps the error it failed with.
struct ErrorCapture<'a> {
    out: &'a mut dyn Write,
    error: Option<io::Error>,
}

impl ErrorCapture<'_> {
    fn captured<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            let kind = error.kind();
            // Writes are retried after this kind of error.
            if kind == io::ErrorKind::Interrupted {
                return error;
            }
            self.error.get_or_insert(error);
            kind.into()
        })
    }
}

impl Write for ErrorCapture<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.captured(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.captured(flushed)
    }
}

/// The error for a folder in which no file can be created, without the name of the temporary file,
/// which is unknown to the user.
fn refused(error: &io::Error) -> io::Error {
    let reason = system_reason(&error.kind().into(), "folder");
    io::Error::new(
        error.kind(),
        format!("cannot create a file there: {reason}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
        write_atomically(path, |out| out.write_all(bytes))
    }

    #[test]
    fn what_the_system_said_is_kept_through_encoders_that_lose_it() {
        #[cfg(target_os = "linux")]
        {
            let worded = |error: io::Error| io::Error::other(error.to_string());
            let written = write_atomically(Path::new("/dev/full"), |out| {
                out.write_all(&vec![0; 1 << 16]).map_err(worded)
            });
            let reason = system_reason(&written.unwrap_err(), "file");
            assert_eq!(reason, "the disk is full");
        }
        let mut out = Vec::new();
        let written = preserving_error(&mut out, |_| Err(io::Error::other("no pixels")));
        assert_eq!(written.unwrap_err().to_string(), "no pixels");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_takes_no_file_is_to_blame_and_not_a_temporary_one() {
        // Even root cannot create a file there.
        let error = put(Path::new("/proc/view.png"), b"x").unwrap_err();
        let expected = "cannot create a file there: there is no such folder";
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("größe.png");
        put(&path, b"old").unwrap();
        put(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let failed = write_atomically(&path, |out| {
            out.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(put(&dir.path().join("no/such.png"), b"x").is_err());
        assert!(put(dir.path(), b"x").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_name_of_255_bytes_can_be_written() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a".repeat(251), "ß".repeat(125)] {
            let path = dir.path().join(format!("{name}.png"));
            put(&path, b"new").unwrap();
            put(&path, b"newer").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"newer");
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_is_unfinished_can_be_removed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        let count = || fs::read_dir(dir.path()).unwrap().count();
        let written = write_atomically(&path, |out| {
            out.write_all(b"half")?;
            assert_eq!(count(), 1);
            for unfinished in TEMP_FILES.lock().unwrap().iter() {
                // Other tests write at the same time.
                if unfinished.starts_with(dir.path()) {
                    fs::remove_file(unfinished)?;
                }
            }
            assert_eq!(count(), 0);
            Ok(())
        });
        assert!(written.is_err() && count() == 0);
        let all = TEMP_FILES.lock().unwrap();
        assert!(!all.iter().any(|path| path.starts_with(dir.path())));
    }

    #[cfg(unix)]
    #[test]
    fn a_temporary_file_is_never_open_to_more_than_the_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.png");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        for (before, after) in [
            (0o600, 0o600),
            (0o444, 0o444),
            (0o666, 0o666),
            (0o4755, 0o755),
            (0o3750, 0o750),
        ] {
            fs::write(&path, b"old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
            write_atomically(&path, |out| {
                let part = fs::read_dir(dir.path())
                    .unwrap()
                    .map(|it| it.unwrap().path())
                    .into_iter()
                    .find(|other| *other != path)
                    .unwrap();
                assert_eq!(mode(&part) & !after, 0, "{before:o}");
                out.write_all(b"new")
            })
            .unwrap();
            assert_eq!(mode(&path), after);
            fs::remove_file(&path).unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let dir = tempfile::tempdir().unwrap();
        let [file, link, other] = ["a.png", "link.png", "b.png"].map(|name| dir.path().join(name));
        fs::write(&file, b"old").unwrap();
        fs::write(&other, b"").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        put(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&file), 0o640);
        // A chain of links to a file that does not exist yet.
        let [fresh, one, two] = ["c.png", "one.png", "two.png"].map(|name| dir.path().join(name));
        symlink("two.png", &one).unwrap();
        symlink(&fresh, &two).unwrap();
        put(&one, b"new").unwrap();
        assert!(fs::symlink_metadata(&one).unwrap().is_symlink());
        assert_eq!(fs::read(&fresh).unwrap(), b"new");
        symlink("loop.png", dir.path().join("loop.png")).unwrap();
        assert!(put(&dir.path().join("loop.png"), b"new").is_err());
        assert_eq!(mode(&fresh), mode(&other), "as any new file");
    }

    #[test]
    fn a_file_of_a_format_is_replaced_by_one_of_the_format() {
        let dir = tempfile::tempdir().unwrap();
        let [input, map, text] =
            ["in.pfmap", "a.pfmap", "b.pfmap"].map(|name| dir.path().join(name));
        let head = b"version 1.0\nnum_materials 1\n";
        fs::write(&input, head).unwrap();
        fs::write(&map, head).unwrap();
        fs::write(&text, b"a text").unwrap();
        let read = [input.clone()];
        let format = &mapscope_formats::pfmap::FORMAT;
        let check = |path: &Path, any| check_format_target(format, path, &read, any);
        check(&map, false).unwrap();
        check(&dir.path().join("new"), false).unwrap();
        let error = check(&text, false).unwrap_err();
        assert!(matches!(error, SaveError::OtherFormat(_)), "{error}");
        check(&text, true).unwrap();
        assert!(matches!(check(&input, true), Err(SaveError::WasRead)));
    }

    #[test]
    fn what_was_read_is_never_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let in_dir = |name: &str| dir.path().join(name);
        let [image, text, empty, texture, twin] =
            ["a.png", "b.png", "c.png", "grass.png", "twin.png"].map(in_dir);
        fs::write(&image, PNG_SIGNATURE).unwrap();
        fs::write(&text, b"a text").unwrap();
        fs::write(&empty, b"").unwrap();
        fs::write(&texture, PNG_SIGNATURE).unwrap();
        fs::hard_link(&texture, &twin).unwrap();
        let read = [texture.clone(), in_dir("missing.png")];
        let check = |path: &Path, replace_any| PNG.check_target(path, &read, replace_any);

        for free in [&image, &empty, &in_dir("new.png"), &in_dir("NEW.PNG")] {
            check(free, false).unwrap();
        }
        assert!(matches!(
            check(&text, false),
            Err(SaveError::OtherKind(kind)) if kind == PNG
        ));
        check(&text, true).unwrap();
        for taken in [&texture, &twin, &dir.path().join(".").join("grass.png")] {
            assert!(
                matches!(check(taken, true), Err(SaveError::WasRead)),
                "{}",
                taken.display()
            );
        }
        let locked = in_dir("locked.png");
        fs::write(&locked, PNG_SIGNATURE).unwrap();
        let mut permissions = fs::metadata(&locked).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&locked, permissions).unwrap();
        assert!(matches!(check(&locked, false), Err(SaveError::ReadOnly)));
        check(&locked, true).unwrap();
        assert!(matches!(
            check(&in_dir("no/such/folder.png"), true),
            Err(SaveError::NoFolder)
        ));
        for name in ["a.jpg", "a", "a.png.txt", "png"] {
            assert!(
                matches!(check(&in_dir(name), true), Err(SaveError::Ending(kind)) if kind == PNG),
                "{name}"
            );
        }
        const CHECKED: FileKind = FileKind::with_check("checked", "mark", |bytes| bytes[0] == b'{');
        let marked = in_dir("a.mark");
        for (text, is_replaced) in [("{}", true), ("[]", false), ("", true)] {
            fs::write(&marked, text).unwrap();
            let checked = CHECKED.check_target(&marked, &read, false);
            assert_eq!(checked.is_ok(), is_replaced, "{text}");
        }
        assert_eq!(PNG.with_ending(Path::new("a/b")), Path::new("a/b.png"));
        assert_eq!(PNG.with_ending(Path::new("a/b.jpg")), Path::new("a/b.jpg"));
    }
}
