//! Files inside archives. Their paths go on behind that of the archive:
//! `maps/base.paf/models/tree.p3m`. Nothing is extracted to disk.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use super::budget::{Cost, DecodeBudget};
use super::source::{OpenError, Source};
use mapscope_formats::paf::{self, Archive, Content, Target};
use mapscope_formats::{ReadError, pmf, quoted, quoted_path};

/// Maximum number of archives that contain each other.
const MAX_ARCHIVES: usize = 8;

/// The archive that a file comes from. The files that a document of it names are looked for in the
/// same archive first.
#[derive(Debug, Clone)]
pub struct ArchiveOrigin {
    archive: Arc<Archive>,
    /// Path of the archive.
    path: PathBuf,
    /// Names of the folders that contain the file.
    folder: Vec<String>,
}

/// Splits a path at the file on disk that it goes through; `None` if it exists, or if none of its
/// parents is a file.
fn split(path: &Path) -> Option<(&Path, Vec<&str>)> {
    if path.symlink_metadata().is_ok() {
        return None;
    }
    let file = path.ancestors().skip(1).find(|path| path.is_file())?;
    let rest = path.strip_prefix(file).ok()?;
    let names = rest.components().map(|part| match part {
        Component::Normal(name) => name.to_str(),
        Component::CurDir => Some("."),
        Component::ParentDir => Some(".."),
        Component::RootDir | Component::Prefix(_) => None,
    });
    let names: Vec<_> = names.collect::<Option<_>>()?;
    (!names.is_empty()).then_some((file, names))
}

/// The file on disk that stores a file: the outermost archive of a file inside archives.
pub fn file_on_disk(path: &Path) -> &Path {
    split(path).map_or(path, |(file, _)| file)
}

/// The path of a file inside an archive, by the archive's path and the file's path in it; `None` if
/// this system reads its names as something else, such as a drive.
pub(crate) fn path_inside(archive: &Path, file: &str) -> Option<PathBuf> {
    let is_plain = |name: &str| {
        let mut parts = Path::new(name).components();
        matches!(parts.next(), Some(Component::Normal(part)) if part == name)
            && parts.next().is_none()
    };
    file.split('/')
        .all(is_plain)
        .then(|| archive.join(file.split('/').collect::<PathBuf>()))
}

/// Reads a file inside archives; `None` if the path names no such file.
pub(super) fn read(path: &Path) -> Option<Result<Source, OpenError>> {
    let (file, names) = split(path)?;
    let read = || {
        let mut source = Source::read(file)?;
        let budget = DecodeBudget::default().fresh(source.bytes.len());
        let mut left = &names[..];
        for _ in 0..MAX_ARCHIVES {
            let archive = archive_of(&source.bytes).map_err(|error| match error {
                Some(ReadError::Unreadable(problem)) => fault(
                    path,
                    format!("the archive {}: {problem}", shown(&source.path)),
                ),
                _ => fault(path, format!("{} is not an archive", shown(&source.path))),
            })?;
            let origin = ArchiveOrigin {
                archive: Arc::new(archive),
                path: source.path.clone(),
                folder: Vec::new(),
            };
            let inner = origin.open(left, &budget);
            let (inner, rest) = inner.map_err(|message| fault(path, message))?;
            if rest.is_empty() {
                return Ok(inner);
            }
            (source, left) = (inner, rest);
        }
        let message = format!("more than {MAX_ARCHIVES} archives contain each other");
        Err(fault(path, message))
    };
    Some(read().map(|source| Source {
        path: path.to_owned(),
        ..source
    }))
}

fn shown(path: &Path) -> String {
    quoted_path(&path.to_string_lossy())
}

fn fault(path: &Path, message: String) -> OpenError {
    OpenError::Read {
        path: path.to_owned(),
        source: io::Error::other(message),
    }
}

/// Reads the archive in a file: a PAF file, or the archive of a PMF map.
///
/// # Errors
/// If it cannot be read; `None` if the file is neither.
fn archive_of(bytes: &Bytes) -> Result<Archive, Option<ReadError>> {
    if (paf::FORMAT.sniff)(bytes) {
        Ok(paf::read(bytes)?.archive)
    } else if (pmf::FORMAT.sniff)(bytes) {
        Ok(pmf::read_archive(bytes)?)
    } else {
        Err(None)
    }
}

impl ArchiveOrigin {
    /// Reads the first file along a path. Also returns the names after it, which are inside of it.
    fn open<'n>(
        &self,
        names: &'n [&'n str],
        budget: &DecodeBudget,
    ) -> Result<(Source, &'n [&'n str]), String> {
        let whole = || quoted(names.join("/").as_bytes());
        for count in 1..=names.len() {
            let (inner, rest) = names.split_at(count);
            let found = self.archive.walk(&inner.join("/"));
            let Ok(Target::Entry(index)) = found else {
                if found.is_ok() {
                    continue;
                }
                let archive = shown(&self.path);
                return Err(format!(
                    "{} was not found in the archive {archive}",
                    whole()
                ));
            };
            let entry = self.archive.entries().get(index as usize);
            if !entry.is_some_and(|entry| matches!(entry.content, Content::File(_))) {
                continue;
            }
            let Some(Ok(bytes)) = self.archive.file(index as usize) else {
                let file = quoted(inner.join("/").as_bytes());
                return Err(format!("{file} cannot be read from the archive"));
            };
            budget.take(Cost {
                kept_bytes: bytes.len() as u64,
                ..Cost::default()
            })?;
            let (_, folder) = inner.split_last().unwrap_or((&"", &[]));
            let source = Source {
                path: self.path.join(inner.join("/")),
                bytes,
                embedded: &[],
                archive: Some(Self {
                    folder: folder.iter().map(|&name| name.to_owned()).collect(),
                    ..self.clone()
                }),
            };
            return Ok((source, rest));
        }
        Err(format!("{} is a folder of the archive", whole()))
    }

    /// Finds a file that a document names: in the folder of the document, then in those above up to
    /// the root of the archive. Returns its path, which goes on behind that of the archive, and its
    /// index.
    pub(crate) fn find(&self, name: &str) -> Option<(PathBuf, usize)> {
        (0..=self.folder.len()).rev().find_map(|depth| {
            let folder = self.folder.get(..depth)?;
            let mut path = folder.join("/");
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(name);
            let index = self.archive.find(&path)?;
            let entry = self.archive.entries().get(index)?;
            // Other names and links lead to the same path.
            Some((path_inside(&self.path, &self.archive.path(entry))?, index))
        })
    }

    /// Reads a file by its index.
    ///
    /// # Errors
    /// Describes why it cannot be read.
    pub(crate) fn read(&self, index: usize) -> Result<Bytes, String> {
        let file = self.archive.file(index).unwrap_or_else(|| Ok(Bytes::new()));
        file.map_err(|error| error.to_string())
    }

    /// The origin of another file of the archive.
    pub(crate) fn of(&self, file: &Path) -> Option<Self> {
        let folder = file.strip_prefix(&self.path).ok()?.parent()?;
        let names = folder.components().map(|part| part.as_os_str().to_str());
        Some(Self {
            folder: names
                .map(|name| name.map(str::to_owned))
                .collect::<Option<_>>()?,
            ..self.clone()
        })
    }
}
