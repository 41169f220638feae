//! Textures that are looked up while a document opens and decoded afterwards, so that the document
//! is shown early.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use image::RgbaImage;

use super::{Assets, Decoded, Reusable, Texture, TextureFile, Thumbnail, placeholder_texture};
use crate::core::parallel::map_parallel;
use crate::core::rules::{self, Fault};

/// A part of a document that loads after opening because it takes longer than the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pending {
    /// The faces of a large map and the shadow that it casts on itself.
    Relief,
    /// Textures: number read, and total number.
    Textures([usize; 2]),
    /// The skybox of a map or a scene.
    Skybox,
}

impl fmt::Display for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relief => f.write_str("Making faces and shadows"),
            Self::Textures([read, all]) => write!(f, "Reading textures: {read} of {all}"),
            Self::Skybox => f.write_str("Reading the skybox"),
        }
    }
}

/// Maximum number of entries in the cache of checked files.
const MAX_CHECKED: usize = 1 << 16;

/// The textures of open documents, by their real paths, with the size of their images.
static TEXTURES: Reusable<Texture, [u32; 2]> = Reusable::new();

/// A texture of a material that may not be read yet. The first caller that waits for it reads it.
#[derive(Debug)]
pub struct DeferredTexture {
    /// File information before the texture is read.
    looked_up: TextureFile,
    /// Bytes of its file.
    bytes: u64,
    read: LazyLock<ReadTexture, Box<dyn FnOnce() -> ReadTexture + Send + Sync>>,
}

/// A texture that was read.
#[derive(Debug)]
struct ReadTexture {
    file: TextureFile,
    /// The texture, or a placeholder.
    texture: Arc<Texture>,
    /// The reason for the placeholder, or a problem of the image.
    fault: Option<Fault>,
}

impl ReadTexture {
    /// Builds the texture of an image. The seed varies the placeholders.
    fn new(path: Option<PathBuf>, decoded: Decoded, seed: u64) -> Self {
        let Decoded { image, size, fault } = decoded;
        let texture = image.map_or_else(
            || placeholder_texture(seed as u32),
            |image| Arc::new(Texture::new(image)),
        );
        Self {
            file: TextureFile {
                path,
                found: size.is_some(),
                size,
                thumbnail: Thumbnail::of(&texture),
            },
            texture,
            fault,
        }
    }

    /// The result for a texture that was read before.
    fn of_texture(path: Option<PathBuf>, texture: Arc<Texture>, size: [u32; 2]) -> Self {
        Self {
            file: TextureFile {
                path,
                found: true,
                size: Some(size),
                thumbnail: Thumbnail::of(&texture),
            },
            texture,
            fault: None,
        }
    }

    /// Builds the result for an image that was only checked; no pixels are kept.
    fn checked(path: Option<PathBuf>, Decoded { size, fault, .. }: Decoded) -> Self {
        static NONE: LazyLock<Arc<Texture>> =
            LazyLock::new(|| Arc::new(Texture::new(RgbaImage::new(1, 1))));
        Self {
            file: TextureFile {
                size,
                found: size.is_some(),
                ..TextureFile::unread(path)
            },
            texture: Arc::clone(&NONE),
            fault,
        }
    }
}

impl DeferredTexture {
    /// Wraps a texture that has no file.
    pub(crate) fn of(texture: Arc<Texture>) -> Self {
        let size = texture.size;
        Self::there(ReadTexture::of_texture(None, texture, size))
    }

    /// Wraps a texture that is available at once.
    fn there(texture: ReadTexture) -> Self {
        let there = Self {
            looked_up: TextureFile::unread(None),
            bytes: 0,
            read: LazyLock::new(Box::new(|| texture)),
        };
        there.wait();
        there
    }

    /// The deferred texture of a file.
    fn in_file(assets: &Arc<Assets>, name: &str, seed: u64, path: Option<PathBuf>) -> Self {
        let meta = path.as_ref().and_then(|path| path.metadata().ok());
        // Includes the mip levels, unless the texture is only checked.
        let kept = |bytes| {
            if assets.checks_textures {
                0
            } else {
                bytes + bytes / 3
            }
        };
        let afforded = assets.spend_for_texture(name, path.as_deref(), kept);
        let (assets, name) = (Arc::clone(assets), name.to_owned());
        let checked = meta
            .as_ref()
            .zip(path.as_ref())
            .filter(|_| assets.checks_textures);
        let file = checked.and_then(|(meta, path)| {
            let real = path.canonicalize().ok()?;
            Some((real, meta.len(), meta.modified().ok()?, name.clone()))
        });
        let reused = path
            .as_ref()
            .filter(|_| afforded.is_ok() && !assets.checks_textures);
        let reused = reused.and_then(|path| path.canonicalize().ok());
        let read = {
            let path = path.clone();
            move || {
                if let Some((texture, size)) = reused.as_ref().and_then(|file| TEXTURES.get(file)) {
                    return ReadTexture::of_texture(path, texture, size);
                }
                let began = SystemTime::now();
                let decode = || {
                    let image = match afforded {
                        Ok(()) => catch_panic(|| Ok(assets.image(&name))),
                        Err(limit) => Ok(Decoded::failed(limit)),
                    };
                    image.unwrap_or_else(|error| {
                        let message = format!("texture `{name}` cannot be read: {error}");
                        Decoded::failed((&rules::UNREADABLE_TEXTURE, message))
                    })
                };
                match file {
                    Some(file) => ReadTexture::checked(path, checked_once(file, decode)),
                    None if assets.checks_textures => ReadTexture::checked(path, decode()),
                    None => {
                        let read = ReadTexture::new(path, decode(), seed);
                        if let (Some(file), Some(size), None) =
                            (reused, read.file.size, &read.fault)
                        {
                            let value = (&read.texture, size);
                            TEXTURES.put(file.clone(), value, [file], began);
                        }
                        read
                    }
                }
            }
        };
        Self {
            looked_up: TextureFile::unread(path),
            bytes: meta.map_or(0, |file| file.len()),
            read: LazyLock::new(Box::new(read)),
        }
    }

    /// The texture or a placeholder; `None` until it is read.
    pub fn get(&self) -> Option<&Arc<Texture>> {
        LazyLock::get(&self.read).map(|read| &read.texture)
    }

    /// The texture or a placeholder; reads it now if no thread has started to.
    pub fn wait(&self) -> &Arc<Texture> {
        &self.read.texture
    }

    /// Information about its file.
    pub(crate) fn file(&self) -> &TextureFile {
        LazyLock::get(&self.read).map_or(&self.looked_up, |read| &read.file)
    }

    /// The reason for the placeholder, or a problem of the image; `None` until it is read.
    pub(crate) fn fault(&self) -> Option<&Fault> {
        LazyLock::get(&self.read)?.fault.as_ref()
    }

    /// Bytes of memory that it holds.
    pub(crate) fn cpu_bytes(&self) -> usize {
        let levels = self.get().into_iter().flat_map(|texture| &texture.levels);
        levels.map(Vec::len).sum()
    }
}

impl Assets {
    /// Reads a texture inside a document. The seed varies the placeholders.
    pub(crate) fn texture_of_bytes(&self, name: &str, bytes: &[u8], seed: u64) -> DeferredTexture {
        let decoded = self.image_of_bytes(name, bytes);
        let texture = if self.checks_textures {
            ReadTexture::checked(None, decoded)
        } else {
            ReadTexture::new(None, decoded, seed)
        };
        DeferredTexture::there(texture)
    }

    /// Looks up a texture by name without reading it. The seed varies the placeholders. Also
    /// returns the files that were found or looked for.
    pub(crate) fn deferred_texture(
        self: &Arc<Self>,
        name: &str,
        seed: u64,
        shared: &SharedTextures,
    ) -> (Arc<DeferredTexture>, Vec<PathBuf>) {
        match self.locate(name) {
            Ok(found) => {
                let candidates = found.path.iter().cloned().collect();
                let new = || DeferredTexture::in_file(self, name, seed, found.path);
                (shared.get(found.identity, new), candidates)
            }
            Err(error) => {
                let missing = Decoded::failed(Self::texture_fault(name, &error));
                let missing = ReadTexture::new(None, missing, seed);
                let candidates = error.candidates().collect();
                (Arc::new(DeferredTexture::there(missing)), candidates)
            }
        }
    }
}

/// Cache key of a checked file: path, length, modification time, and the name used by the document.
type CheckedFile = (PathBuf, u64, SystemTime, String);

/// Checks an image by decoding it, once per file even if many documents name it: models of a folder
/// often share textures. Results that depend on the limits of one document are not cached.
fn checked_once(file: CheckedFile, decode: impl FnOnce() -> Decoded) -> Decoded {
    type Known = HashMap<CheckedFile, (Option<[u32; 2]>, Option<Fault>)>;
    static CHECKED: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    let known = || CHECKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((size, fault)) = known().get(&file).cloned() {
        return Decoded {
            image: None,
            size,
            fault,
        };
    }
    let decoded = decode();
    let is_refused = matches!(&decoded.fault, Some((rule, _)) if **rule == rules::TEXTURE_LIMIT);
    let mut known = known();
    if !is_refused && known.len() < MAX_CHECKED {
        known.insert(file, (decoded.size, decoded.fault.clone()));
    }
    decoded
}

/// Reads an image, and turns a panic of the decoder into an error, so that waiting threads get a
/// result.
pub(super) fn catch_panic<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_panic| {
        let failed = "Mapscope failed while reading it; report this with the file";
        Err(failed.to_owned())
    })
}

/// Textures shared by several models, keyed by file; each exists once.
#[derive(Debug, Default)]
pub(crate) struct SharedTextures {
    by_file: Mutex<HashMap<PathBuf, Arc<DeferredTexture>>>,
}

impl SharedTextures {
    /// The texture of a file.
    fn get(&self, file: PathBuf, new: impl FnOnce() -> DeferredTexture) -> Arc<DeferredTexture> {
        let mut by_file = self.by_file.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(by_file.entry(file).or_insert_with(|| Arc::new(new())))
    }

    /// Turns the map into the list of textures to read.
    pub(crate) fn into_list(self) -> DeferredTextures {
        let by_file = self
            .by_file
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut list: Vec<_> = by_file.into_iter().collect();
        // Largest first, so that no thread is left with a large texture at the end.
        list.sort_unstable_by(|(a, one), (b, other)| {
            let sizes = Reverse(one.bytes).cmp(&Reverse(other.bytes));
            sizes.then_with(|| a.cmp(b))
        });
        DeferredTextures {
            list: list.into_iter().map(|(_, texture)| texture).collect(),
        }
    }
}

/// The textures of a document that are read after opening.
#[derive(Debug, Default)]
pub(crate) struct DeferredTextures {
    list: Vec<Arc<DeferredTexture>>,
}

impl DeferredTextures {
    /// Number of textures read so far.
    pub(crate) fn read_count(&self) -> usize {
        let read = self.list.iter().filter(|it| it.get().is_some());
        read.count()
    }

    /// Number of textures read and their total, or `None` once all are read.
    pub(crate) fn pending(&self) -> Option<Pending> {
        let counts = [self.read_count(), self.list.len()];
        (counts[0] < counts[1]).then_some(Pending::Textures(counts))
    }

    /// Reads the remaining textures on all threads of the machine, while `keep_going` returns `true`.
    /// Calls `on_part` after each, on the thread that waited for it.
    pub(crate) fn complete(
        &self,
        keep_going: &(dyn Fn() -> bool + Sync),
        on_part: &(dyn Fn() + Sync),
    ) {
        map_parallel(self.list.len(), |index| {
            if keep_going() {
                self.list[index].wait();
                on_part();
            }
        });
    }

    /// Bytes of memory held by the textures read so far.
    pub(crate) fn cpu_bytes(&self) -> u64 {
        let bytes = self.list.iter().map(|texture| texture.cpu_bytes() as u64);
        bytes.sum()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::path::Path;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bytes::Bytes;

    use super::*;
    use crate::assets::LookUp;
    use crate::{OpenOptions, Source};

    /// A folder of single-colour images, and the assets that look them up.
    fn assets(folder: &Path, names: &[&str]) -> Arc<Assets> {
        for name in names {
            let mut bytes = Cursor::new(Vec::new());
            let image = RgbaImage::from_pixel(4, 2, image::Rgba([9, 8, 7, 255]));
            image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
            std::fs::write(folder.join(name), bytes.into_inner()).unwrap();
        }
        let source = Source {
            path: folder.join("a.pfobj"),
            bytes: Bytes::new(),
            embedded: &[],
            archive: None,
        };
        let options = OpenOptions::default();
        Arc::new(Assets::new(&source, &options, LookUp::Beside))
    }

    #[test]
    fn a_texture_is_read_when_it_is_waited_for_and_once_for_each_file() {
        let folder = tempfile::tempdir().unwrap();
        let assets = assets(folder.path(), &["a.png", "b.png"]);
        let shared = SharedTextures::default();
        let get = |name| assets.deferred_texture(name, 1, &shared).0;
        let [a, same, b, missing] = ["a.png", "./a.png", "b.png", "c.png"].map(get);
        assert!(Arc::ptr_eq(&a, &same) && !Arc::ptr_eq(&a, &b));
        // A missing file is known at once.
        assert!(missing.get().is_some() && missing.fault().is_some());
        assert!(a.get().is_none() && a.fault().is_none());
        assert!(a.file().found && a.file().size.is_none());
        let all = shared.into_list();
        assert_eq!(
            (all.pending(), all.cpu_bytes()),
            (Some(Pending::Textures([0, 2])), 0)
        );
        // The file has changed in the meantime.
        std::fs::write(folder.path().join("b.png"), "no image").unwrap();
        all.complete(&|| true, &|| {});
        assert_eq!(all.read_count(), 2);
        assert_eq!(a.get().unwrap().size, [4, 2]);
        assert_eq!(a.file().size, Some([4, 2]));
        assert!(a.fault().is_none() && a.file().found);
        let (rule, message) = b.fault().unwrap();
        assert_eq!(rule.id, rules::UNREADABLE_TEXTURE.id);
        assert!(message.starts_with("texture `b.png` cannot be read"));
        assert!(!b.file().found);
        assert_eq!(b.get().unwrap().size, [256; 2]);
    }

    #[test]
    fn an_image_is_checked_once_until_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let decoded = AtomicUsize::new(0);
        let check = |length: u64, name: &str, rule| {
            let file = (
                path.clone(),
                length,
                SystemTime::UNIX_EPOCH,
                name.to_owned(),
            );
            checked_once(file, || {
                decoded.fetch_add(1, Ordering::Relaxed);
                Decoded::failed((rule, name.to_owned()))
            })
        };
        for (length, name, rule, expected) in [
            (1, "a", &rules::UNREADABLE_TEXTURE, 1),
            (1, "a", &rules::UNREADABLE_TEXTURE, 1),
            (1, "./a", &rules::UNREADABLE_TEXTURE, 2),
            (2, "a", &rules::TEXTURE_LIMIT, 3),
            (2, "a", &rules::TEXTURE_LIMIT, 4),
        ] {
            let (found, message) = check(length, name, rule).fault.unwrap();
            assert_eq!((found.id, message.as_str()), (rule.id, name));
            assert_eq!(decoded.load(Ordering::Relaxed), expected);
        }
    }

    #[test]
    fn nothing_more_is_read_once_nobody_wants_it() {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..64).map(|i| format!("{i}.png")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let assets = assets(folder.path(), &names);
        let shared = SharedTextures::default();
        for name in &names {
            assets.deferred_texture(name, 1, &shared);
        }
        let textures = shared.into_list();
        let come = AtomicUsize::new(0);
        let count = || come.load(Ordering::Relaxed);
        let on_part = || {
            come.fetch_add(1, Ordering::Relaxed);
        };
        textures.complete(&|| count() == 0, &on_part);
        let read = textures.read_count();
        assert_eq!(read, count());
        // Each thread may have started another texture.
        assert!((1..names.len()).contains(&read), "{read}");
        assert_eq!(textures.pending(), Some(Pending::Textures([read, 64])));
        textures.complete(&|| true, &|| {});
        assert_eq!(textures.pending(), None);
    }
}
