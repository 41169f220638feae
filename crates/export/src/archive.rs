//! The files of an archive or of the archive in a PMF map, and its textures as images.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use mapscope_formats::paf::{Archive, Content, Link, Target};
use mapscope_formats::ptf::Texture;
use mapscope_formats::{ReadError, Severity, printable};
use mapscope_scene::Bytes;
use mapscope_scene::saving::PNG;

/// Maximum ratio of the extracted size of an archive to its own size. LZ4 expands a byte to at most
/// 255 bytes, but files may share their bytes.
pub const MAX_GROWTH: u64 = 256;

/// Names that Windows reserves for devices, with any extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// A file of an archive.
#[derive(Debug)]
pub struct ArchiveFile<'a> {
    /// Its path from the root of the archive, such as `textures/brick.ptf`.
    pub path: String,
    archive: &'a Archive,
    entry: usize,
}

/// The reason why a file of an archive cannot be extracted to a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// A component of its path is not a valid file name on every system.
    #[error(
        "refused, because its path could lead out of the folder: expected names separated by single `/`"
    )]
    Unsafe,
    /// A component of its path is a name that some system reserves or cannot display.
    #[error(
        "refused, because some systems reserve a name in its path or cannot display it: expected \
         printable names such as `brick.ptf`"
    )]
    Reserved,
}

/// The files of an archive in path order. A link to a file is listed as a file with the content of
/// its target.
pub fn files(archive: &Archive) -> Vec<ArchiveFile<'_>> {
    let entries = archive.entries().iter().enumerate();
    let files = entries.filter_map(|(index, entry)| {
        let entry_index = match &entry.content {
            Content::File(_) => index,
            Content::Link(link) => file_of(archive, link)?,
            Content::Directory(_) | Content::Unknown(_) => return None,
        };
        Some(ArchiveFile {
            path: archive.path(entry),
            archive,
            entry: entry_index,
        })
    });
    let mut files: Vec<_> = files.collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// Index of the file that a link leads to.
fn file_of(archive: &Archive, link: &Link) -> Option<usize> {
    let Ok(Target::Entry(index)) = link.target else {
        return None;
    };
    let index = index as usize;
    let is_file = matches!(archive.entries().get(index)?.content, Content::File(_));
    is_file.then_some(index)
}

/// The entries that [`files`] leaves out: paths of links to folders, of links that lead nowhere and
/// of entries of an unknown type, each with the reason.
pub fn skipped(archive: &Archive) -> Vec<(String, String)> {
    let entries = archive.entries().iter();
    let skipped = entries.filter_map(|entry| {
        let reason = match &entry.content {
            Content::Link(link) if file_of(archive, link).is_some() => return None,
            Content::Link(link) => match link.target {
                Ok(_) => format!("a link to the folder `{}`", link.text),
                Err(dead_end) => format!("a link to `{}`, which {dead_end}", link.text),
            },
            Content::Unknown(kind) => format!("an entry of the unknown type {kind}"),
            Content::Directory(_) | Content::File(_) => return None,
        };
        Some((archive.path(entry), reason))
    });
    let mut skipped: Vec<_> = skipped.collect();
    skipped.sort();
    skipped
}

impl ArchiveFile<'_> {
    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        let entry = self.archive.entries().get(self.entry);
        match entry.map(|entry| &entry.content) {
            // A file that is larger than its archive is not there, and is refused when it is read.
            Some(Content::File(file))
                if file.stored_bytes as usize <= self.archive.bytes().len() =>
            {
                file.bytes.into()
            }
            _ => 0,
        }
    }

    /// Its bytes.
    ///
    /// # Errors
    /// If it is compressed and cannot be decompressed, with the offset of its record in the
    /// archive.
    pub fn bytes(&self) -> Result<Bytes, ReadError> {
        self.archive.file(self.entry).unwrap_or(Ok(Bytes::new()))
    }

    /// Its path relative to a target folder.
    ///
    /// # Errors
    /// If its path could lead out of the folder, or is invalid on some systems.
    pub fn path_in_folder(&self) -> Result<PathBuf, PathError> {
        // Names must not contain characters that separate names or drives on some system.
        let is_name = |name: &str| !name.is_empty() && !name.contains(['\\', ':', '\0']);
        let path = Path::new(&self.path);
        let is_safe = self.path.split('/').all(is_name)
            && path
                .components()
                .all(|part| matches!(part, Component::Normal(_)));
        if !is_safe {
            return Err(PathError::Unsafe);
        }
        if self.path.split('/').any(is_reserved) {
            return Err(PathError::Reserved);
        }
        Ok(path.to_owned())
    }
}

/// `true` if Windows reserves the name or a part of it cannot be displayed.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim_end().to_lowercase();
    let port = ["com", "lpt"]
        .into_iter()
        .find_map(|port| stem.strip_prefix(port));
    let mut number = port.unwrap_or_default().chars();
    let is_port = matches!(number.next(), Some('0'..='9' | '¹' | '²' | '³'));
    (is_port && number.next().is_none())
        || DEVICES.contains(&&*stem)
        || name.ends_with(['.', ' '])
        || name.contains(['<', '>', '"', '|', '?', '*'])
        || matches!(printable(name), Cow::Owned(_))
}

/// Paths for the images of textures, given the paths of the textures in a folder: `a.png` for
/// `a.ptf`. If another file or image has that name, ignoring case, the image keeps the texture's
/// extension: `a.ptf.png`. If that is also taken, the texture has no image.
pub fn image_paths(archive: &Archive, textures: &[PathBuf]) -> Vec<Option<PathBuf>> {
    let key = |path: &Path| path.to_string_lossy().to_lowercase();
    let entries = archive.entries().iter();
    let mut taken: HashSet<String> = entries
        .map(|entry| archive.path(entry).to_lowercase())
        .collect();
    let image = |path: &PathBuf| {
        let short = path.with_extension(PNG.ending);
        let mut long = path.clone().into_os_string();
        long.push(".");
        long.push(PNG.ending);
        let names = [short, long.into()];
        names.into_iter().find(|image| taken.insert(key(image)))
    };
    textures.iter().map(image).collect()
}

/// `true` if these are the bytes of a PTF texture.
pub fn is_texture(bytes: &[u8]) -> bool {
    bytes.starts_with(&Texture::MAGIC)
}

/// Converts a PTF texture to a PNG; `None` if the bytes are not a PTF texture.
///
/// # Errors
/// If the texture has an error, with the offset in `bytes`.
pub fn texture_png(bytes: &[u8]) -> Option<Result<Vec<u8>, ReadError>> {
    if !is_texture(bytes) {
        return None;
    }
    Some(Texture::read(bytes).and_then(|mut texture| {
        let mut problems = texture.problems.drain(..);
        if let Some(error) = problems.find(|problem| problem.rule.severity == Severity::Error) {
            return Err(ReadError::Unreadable(error));
        }
        drop(problems);
        let size = [texture.width, texture.height];
        Ok(crate::png_of(size, &texture.into_rgba()))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapscope_formats::paf::NewFile;
    use mapscope_formats::ptf::Layout;

    fn build(files: &[(&str, &[u8])]) -> Archive {
        let file = |&(path, bytes)| NewFile {
            path,
            bytes,
            compress: true,
        };
        Archive::build(&files.iter().map(file).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn files_come_in_the_order_of_their_paths_with_their_bytes() {
        let archive = build(&[("readme.txt", b"Made up"), ("maps/a/b.bin", &[7; 300])]);
        let files = files(&archive);
        let paths: Vec<_> = files.iter().map(|file| &*file.path).collect();
        assert_eq!(paths, ["maps/a/b.bin", "readme.txt"]);
        let sizes: Vec<_> = files.iter().map(ArchiveFile::size).collect();
        assert_eq!(sizes, [300, 7]);
        assert_eq!(*files[0].bytes().unwrap(), [7; 300]);
        assert_eq!(*files[1].bytes().unwrap(), *b"Made up");
        assert_eq!(files[0].path_in_folder(), Ok(PathBuf::from("maps/a/b.bin")));
    }

    #[test]
    fn paths_that_may_lead_out_of_a_folder_are_refused() {
        let archive = build(&[("a", b"")]);
        for path in [
            "..",
            "a/../../b",
            "/etc/passwd",
            "a//b",
            "./a",
            "",
            "c:\\a",
            "c:a",
            "\\\\host\\a",
            "a\0b",
        ] {
            let file = ArchiveFile {
                path: path.to_owned(),
                archive: &archive,
                entry: 0,
            };
            assert_eq!(file.path_in_folder(), Err(PathError::Unsafe), "{path}");
        }
    }

    #[test]
    fn names_that_some_system_reserves_or_cannot_show_are_refused() {
        let archive = build(&[("a", b"")]);
        let path_of = |path: &str| {
            let file = ArchiveFile {
                path: path.to_owned(),
                archive: &archive,
                entry: 0,
            };
            file.path_in_folder()
        };
        for path in [
            "CON",
            "a/nul.txt",
            "Aux .a.b",
            "com1",
            "LPT9.txt",
            "com¹",
            "conin$",
            "a.",
            "a /b",
            "a?",
            "a*b",
            "a\u{1b}",
            "a\nb",
            "a\u{202e}b",
        ] {
            assert_eq!(path_of(path), Err(PathError::Reserved), "{path:?}");
        }
        for path in [
            "console",
            "com",
            "com10",
            "a/nul1",
            ".a",
            "-rf",
            "größe 1.png",
            "a b",
        ] {
            assert_eq!(path_of(path), Ok(PathBuf::from(path)));
        }
    }

    #[test]
    fn images_have_names_of_their_own() {
        let archive = build(&[
            ("b.png", b""),
            ("d/a.ptf", b""),
            ("e.x", b""),
            ("e.PNG", b""),
        ]);
        let textures = [
            "d/a.ptf",
            "d/A.ptg",
            "d/a.tex",
            "d/a.ptg.x",
            "b.ptf",
            "e.x",
            "c",
        ];
        let images = image_paths(&archive, &textures.map(PathBuf::from));
        let images: Vec<_> = images.iter().map(|it| it.as_ref()?.to_str()).collect();
        let expected = [
            "d/a.png",
            "d/A.ptg.png",
            "d/a.tex.png",
            "d/a.ptg.x.png",
            "b.ptf.png",
            "e.x.png",
            "c.png",
        ];
        assert_eq!(images, expected.map(Some));
        assert_eq!(
            image_paths(&archive, &["b".into(), "b.PNG".into()]),
            [None, Some("b.PNG.png".into())]
        );
    }

    #[test]
    fn a_texture_becomes_an_image_of_the_same_pixels() {
        let texture =
            |channels, pixels: &[u8]| Texture::new(Layout::V2, [2, 1], channels, pixels.to_vec());
        let pixels_of = |texture: Texture| {
            let png = texture_png(&texture.write().unwrap()).unwrap().unwrap();
            let mut reader = png::Decoder::new(std::io::Cursor::new(png))
                .read_info()
                .unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut pixels).unwrap();
            ((info.width, info.height), pixels)
        };
        let whole = pixels_of(texture(4, &[1, 2, 3, 4, 5, 6, 7, 8]));
        assert_eq!(whole, ((2, 1), vec![1, 2, 3, 4, 5, 6, 7, 8]));
        let opaque = pixels_of(texture(3, &[1, 2, 3, 5, 6, 7]));
        assert_eq!(opaque, ((2, 1), vec![1, 2, 3, 255, 5, 6, 7, 255]));
        assert!(texture_png(b"no texture").is_none());
        assert!(texture_png(b"PTF\0\x01\x10cut").unwrap().is_err());
    }
}
