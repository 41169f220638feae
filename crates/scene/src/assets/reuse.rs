//! Values made of files, such as decoded textures. A later document reuses them while an earlier
//! one still holds them and the files are unchanged.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, SystemTime};

/// Minimum age of a file whose values are reused. Some file systems store times in steps of two
/// seconds, and a later save within the same step would go unnoticed.
const MIN_AGE: Duration = Duration::from_secs(2);

/// Length, modification time and identity of a file; `None` if it is missing.
type Stamp = Option<(u64, SystemTime, Identity)>;
/// Number of a file, and the time at which it was last changed or renamed, in parts.
type Identity = (u64, [i64; 2]);

fn stamp(file: &Path) -> Stamp {
    let file = file.metadata().ok()?;
    Some((file.len(), file.modified().ok()?, identity(&file)))
}

/// Another file may take the name of a file, with the same length and modification time.
#[cfg(unix)]
fn identity(file: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (file.ino(), [file.ctime(), file.ctime_nsec()])
}

/// Other systems tell neither.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {
    (0, [0; 2])
}

/// Values by the file that they are made of. Documents hold the values; this only finds them.
pub(crate) struct Reusable<V, E = ()> {
    known: Mutex<BTreeMap<PathBuf, Known<V, E>>>,
}

struct Known<V, E> {
    value: Weak<V>,
    extra: E,
    /// The files that the value depends on, including missing ones that were looked for.
    files: Vec<(PathBuf, Stamp)>,
}

impl<V, E: Clone> Reusable<V, E> {
    pub(crate) const fn new() -> Self {
        let known = Mutex::new(BTreeMap::new());
        Self { known }
    }

    /// The value of a file, if all files that it depends on are unchanged.
    pub(crate) fn get(&self, file: &Path) -> Option<(Arc<V>, E)> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get(file)?;
        let is_same = |(file, before): &(PathBuf, Stamp)| stamp(file) == *before;
        let value = known.value.upgrade()?;
        let is_reusable = known.files.iter().all(is_same);
        is_reusable.then(|| (value, known.extra.clone()))
    }

    /// Makes a value known that was read from `began` on. It is ignored if one of the files is so
    /// new that it may have changed since.
    pub(crate) fn put(
        &self,
        file: PathBuf,
        (value, extra): (&Arc<V>, E),
        files: impl IntoIterator<Item = PathBuf>,
        began: SystemTime,
    ) {
        let files: Vec<_> = files.into_iter().map(|file| (stamp(&file), file)).collect();
        let is_old = |(stamp, _): &(Stamp, PathBuf)| {
            stamp.is_none_or(|(_, modified, _)| modified + MIN_AGE < began)
        };
        if !files.iter().all(is_old) {
            return;
        }
        let known_value = Known {
            value: Arc::downgrade(value),
            extra,
            files: files
                .into_iter()
                .map(|(stamp, file)| (file, stamp))
                .collect(),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, known| known.value.strong_count() > 0);
        known.insert(file, known_value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_reused_while_it_is_held_and_its_files_are_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let [file, other, missing] = ["a", "b", "c"].map(|name| folder.path().join(name));
        let old = SystemTime::now() - Duration::from_mins(1);
        let write = |file: &PathBuf, text: &str, at: SystemTime| {
            std::fs::write(file, text).unwrap();
            let file = std::fs::File::options().append(true).open(file).unwrap();
            file.set_modified(at).unwrap();
        };
        write(&file, "1", old);
        write(&other, "2", old);
        let known = Reusable::<u8, char>::new();
        let files = || [file.clone(), other.clone(), missing.clone()];
        let put = |value: &Arc<u8>| {
            known.put(file.clone(), (value, 'x'), files(), SystemTime::now());
        };
        let get = || known.get(&file).map(|(value, extra)| (*value, extra));
        let value = Arc::new(7);
        put(&value);
        assert_eq!(get(), Some((7, 'x')));
        for (changed, text, at, is_same) in [
            (&other, "22", old, false),
            (&other, "2", old + Duration::from_secs(9), false),
            (&missing, "", old, false),
        ] {
            write(changed, text, at);
            assert_eq!(get().is_some(), is_same, "{changed:?} {text}");
        }
        std::fs::remove_file(&missing).unwrap();
        write(&other, "2", old);
        put(&value);
        assert!(get().is_some());
        // Another file of the same length and time takes the name.
        let third = folder.path().join("d");
        write(&third, "3", old);
        std::fs::rename(&third, &other).unwrap();
        assert_eq!(get().is_none(), cfg!(unix));
        put(&value);
        drop(value);
        assert_eq!(get(), None, "no document holds it");
        let value = Arc::new(8);
        write(&other, "2", SystemTime::now());
        put(&value);
        assert_eq!(get(), None, "one of the files is new");
    }
}
