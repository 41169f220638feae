//! Files that are written: whole or not at all, and never over what was read.
//!
//! Commands and the window write through here, so that what may be replaced is decided once
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

/// A kind of file that is written. Kinds are told apart by their names.
#[derive(Debug, Clone, Copy)]
pub struct FileKind {
    /// Its name, for people.
    pub name: &'static str,
    /// How the names of such files end, without the dot, in lower case.
    pub ending: &'static str,
    content: Content,
}

/// What files of a kind are known by.
#[derive(Debug, Clone, Copy)]
enum Content {
    /// The bytes that each begins with.
    Signature(&'static [u8]),
    /// What says of all bytes of a file whether it is one.
    Check(fn(&[u8]) -> bool),
}

impl FileKind {
    /// A kind of file: its name for people, how names of such files end, in lower case, and the bytes
    /// that every such file begins with.
    pub const fn new(name: &'static str, ending: &'static str, signature: &'static [u8]) -> Self {
        Self {
            name,
            ending,
            content: Content::Signature(signature),
        }
    }

    /// The same for files that begin as others do: `check` says of the bytes of one whether it is of the kind.
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

/// The number of links that lead from one to the next, as in Linux.
const MAX_LINKS: usize = 40;

/// How much of the name of a file its temporary file has: with random letters and an ending at most 255 bytes,
/// the limit of common file systems.
const MAX_PREFIX_CHARS: usize = 60;

const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Portable Network Graphics.
pub const PNG: FileKind = FileKind::new("PNG", "png", PNG_SIGNATURE);

/// The same with several frames.
pub const APNG: FileKind = FileKind::new("APNG", "apng", PNG_SIGNATURE);

/// Graphics Interchange Format, whose files may have several frames.
pub const GIF: FileKind = FileKind::new("GIF", "gif", b"GIF8");

/// JavaScript Object Notation: one object.
pub const JSON: FileKind = FileKind::new("JSON", "json", b"{");

/// Scalable Vector Graphics, as they are written here.
pub const SVG: FileKind = FileKind::new("SVG", "svg", b"<svg");

/// Markdown that begins with a heading.
pub const MARKDOWN: FileKind = FileKind::new("Markdown", "md", b"# ");

/// Why a file is not written.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The name says that it is to be a file of another kind.
    #[error("only {} files are written: expected a name that ends in .{}", .0.name, .0.ending)]
    Ending(FileKind),
    /// It is the file that is open, or one that was read with it, such as a texture.
    #[error("this file was read, and what was read is never written over: choose another name")]
    WasRead,
    /// There is no folder to write it in.
    #[error("there is no such folder")]
    NoFolder,
    /// A file of another kind stands there.
    #[error("this file exists and is no {} file", .0.name)]
    OtherKind(FileKind),
    /// A file of another format stands there.
    #[error("this file exists and is no {} file", .0.name)]
    OtherFormat(&'static Format),
    /// A file of the kind stands there that nobody has named.
    #[error("this file exists, and is not from an export before")]
    NotOurs,
    /// A file stands there that is marked as one that stays as it is.
    #[error("this file exists and is read-only")]
    ReadOnly,
    /// The system refused.
    #[error("{}", system_reason(.0, "file"))]
    Io(#[from] io::Error),
}

impl SaveError {
    /// Whether the file is written where any may be replaced.
    pub fn can_be_forced(&self) -> bool {
        matches!(
            self,
            Self::OtherKind(_) | Self::OtherFormat(_) | Self::NotOurs | Self::ReadOnly
        )
    }
}

/// The file that a document was read from, and all that were read or looked for with it.
pub fn files_read(path: &Path, document: &dyn Document) -> Vec<PathBuf> {
    let mut files = document.about().dependencies.clone();
    files.push(path.to_owned());
    files
}

impl FileKind {
    /// The path with the ending of this kind, if it has none.
    pub fn with_ending(&self, path: &Path) -> PathBuf {
        if path.extension().is_none() {
            path.with_extension(self.ending)
        } else {
            path.to_owned()
        }
    }

    /// Makes sure that a file of this kind may be written at a path. An existing file is replaced
    /// where it is of this kind or empty and not read-only, or whatever it is if `replace_any`; none of
    /// the files in `read` ever is, nor another name of one.
    ///
    /// # Errors
    /// When it may not.
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

    /// As [`FileKind::check_target`], whatever the name ends in: for names that other programs make up.
    ///
    /// # Errors
    /// When it may not.
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

    /// Whether a file is of this kind, or has nothing in it that could be lost.
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

/// Makes sure that a file of a format that is opened may be written at a path, as
/// [`FileKind::check_target`] does for those that are not. What an existing file is its content says, and not
/// its name.
///
/// # Errors
/// When it may not.
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
    };
    let is_of_format = || identify_format(&source).is_ok_and(|found| found.id == format.id);
    if !source.bytes.is_empty() && !is_of_format() {
        return Err(SaveError::OtherFormat(format));
    }
    check_writable(path)
}

/// Makes sure that a file is not read-only. As another takes its place, the system would let it be replaced.
fn check_writable(path: &Path) -> Result<(), SaveError> {
    if fs::metadata(path)?.permissions().readonly() {
        Err(SaveError::ReadOnly)
    } else {
        Ok(())
    }
}

/// Whether nothing is replaced at a path where a file may be written; else a file stands there that was not
/// read.
///
/// # Errors
/// When a file that was read stands there, or there is no folder to write in.
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
    // A file that is gone or cannot be looked at was not read either.
    // Opening a pipe would wait for whoever writes to it.
    let is_file = |path: &Path| fs::metadata(path).is_ok_and(|data| data.is_file());
    let same = |other: &PathBuf| {
        is_file(path) && is_file(other) && same_file::is_same_file(path, other).unwrap_or(false)
    };
    if read.iter().any(same) {
        return Err(SaveError::WasRead);
    }
    Ok(false)
}

/// Whether it is a device or a pipe, which cannot be replaced, only written to.
fn is_stream(meta: &fs::Metadata) -> bool {
    !meta.is_file() && !meta.is_dir()
}

/// The file that a path of no file would make: the end of its links, if it has any.
fn led_to(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&target) else {
            break;
        };
        target = target.parent().unwrap_or(Path::new("")).join(next);
    }
    target
}

/// The permissions of a file, without those that make other users or groups run it as themselves.
fn permissions_of_file(meta: &fs::Metadata) -> fs::Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::Permissions::from_mode(meta.permissions().mode() & 0o777)
    }
    #[cfg(not(unix))]
    meta.permissions()
}

/// The temporary files of all files that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary file, until it is dropped.
struct Unfinished(PathBuf);

impl Unfinished {
    fn new(path: &Path) -> Self {
        let mut all = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut all = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|path| *path != self.0);
    }
}

/// Removes the temporary files of all files that are being written. For a process that ends at once, since
/// nothing may be written after it.
pub fn remove_unfinished() {
    let all = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in all.iter() {
        // It may be finished by now, or gone.
        let _gone = fs::remove_file(path);
    }
}

/// Writes a file, whole or not at all: into a temporary file beside it, which then takes its
/// place. A link stays a link, and what it leads to is replaced.
///
/// # Errors
/// When the folder cannot be written to, or `write` fails: what was there before then stays.
pub fn write_whole(
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
        with_own_error(&mut out, write)?;
        return out.flush();
    }
    let target = match meta {
        Some(_) => path.canonicalize()?,
        None => led_to(path),
    };
    let (Some(name), Some(folder)) = (target.file_name(), target.parent()) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    // Cut, so that a file of the longest name can be written.
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
        // Within what the user's mask allows: those of the file that is replaced, or those of any other new file.
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
    let _unfinished = Unfinished::new(part.path());
    // Past the temporary file, whose errors name a path that nobody has asked for.
    let mut out = BufWriter::new(part.as_file());
    with_own_error(&mut out, write)?;
    out.flush()?;
    drop(out);
    if let Some(permissions) = permissions {
        part.as_file().set_permissions(permissions)?;
    }
    part.persist(&target)?;
    Ok(())
}

/// Writes, and gives what went wrong as the writer gave it: encoders hand on no more than its words.
///
/// # Errors
/// Those of the writer, or else those of `write`.
pub fn with_own_error(
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut remembering = Remembering { out, error: None };
    let written = write(&mut remembering);
    match remembering.error {
        Some(error) if written.is_err() => Err(error),
        _ => written,
    }
}

/// A writer that remembers why it failed.
struct Remembering<'a> {
    out: &'a mut dyn Write,
    error: Option<io::Error>,
}

impl Remembering<'_> {
    fn remembered<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            let kind = error.kind();
            // Of this kind it is tried again.
            if kind == io::ErrorKind::Interrupted {
                return error;
            }
            self.error.get_or_insert(error);
            kind.into()
        })
    }
}

impl Write for Remembering<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.remembered(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.remembered(flushed)
    }
}

/// That a folder takes no new file: without the name of the temporary one, which nobody has asked for.
fn refused(error: &io::Error) -> io::Error {
    let reason = system_reason(&error.kind().into(), "folder");
    io::Error::new(error.kind(), format!("no file can be made there: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
        write_whole(path, |out| out.write_all(bytes))
    }

    #[test]
    fn what_the_system_said_is_kept_through_encoders_that_lose_it() {
        #[cfg(target_os = "linux")]
        {
            let worded = |error: io::Error| io::Error::other(error.to_string());
            let written = write_whole(Path::new("/dev/full"), |out| {
                out.write_all(&vec![0; 1 << 16]).map_err(worded)
            });
            let reason = system_reason(&written.unwrap_err(), "file");
            assert_eq!(reason, "the disk is full");
        }
        let mut out = Vec::new();
        let written = with_own_error(&mut out, |_| Err(io::Error::other("no pixels")));
        assert_eq!(written.unwrap_err().to_string(), "no pixels");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_takes_no_file_is_to_blame_and_not_a_temporary_one() {
        // Not even root can make a file there.
        let error = put(Path::new("/proc/view.png"), b"x").unwrap_err();
        let expected = "no file can be made there: there is no such folder";
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
        let failed = write_whole(&path, |out| {
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
        let written = write_whole(&path, |out| {
            out.write_all(b"half")?;
            assert_eq!(count(), 1);
            for unfinished in UNFINISHED.lock().unwrap().iter() {
                // Other tests write as well.
                if unfinished.starts_with(dir.path()) {
                    fs::remove_file(unfinished)?;
                }
            }
            assert_eq!(count(), 0);
            Ok(())
        });
        assert!(written.is_err() && count() == 0);
        let all = UNFINISHED.lock().unwrap();
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
            write_whole(&path, |out| {
                let part = fs::read_dir(dir.path())
                    .unwrap()
                    .map(|it| it.unwrap().path());
                let part = part.into_iter().find(|other| *other != path).unwrap();
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
        // Links that lead on to a file that is not there yet.
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
