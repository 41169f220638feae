//! The settings file, which several windows share.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{io, thread};

use serde_json::Value;

use crate::viewer::state::settings::{Settings, VERSION};
use mapscope_scene::{saving, system_reason};

/// Maximum size of a settings file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Number of attempts to lock the file, and the pause between them.
const LOCK_ATTEMPTS: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// The settings file. Other windows write it, too.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    path: PathBuf,
    /// The settings of this window at the last access.
    known: Settings,
    /// Modification time of the file at the last access, if it existed.
    modified: Option<SystemTime>,
    /// `true` if the last access failed.
    has_failed: bool,
}

impl SettingsFile {
    /// The default path of the file, if the system has a folder for it.
    pub(crate) fn default_path() -> Option<PathBuf> {
        let folders = directories::ProjectDirs::from("", "", "mapscope")?;
        Some(folders.config_dir().join("settings.json"))
    }

    /// Opens a settings file and reads it. A missing file has the default settings. If the file
    /// cannot be read, the result is a message for the user. The file then stays as it is: nothing
    /// is saved until it can be read.
    pub(crate) fn open(path: PathBuf) -> (Self, Result<Settings, String>) {
        let mut file = Self {
            modified: modified(&path),
            path,
            known: Settings::default(),
            has_failed: false,
        };
        let settings = read(&file.path);
        let what = "Default settings are used, and changes are not saved";
        let settings = file.report(settings, what).map(Option::flatten);
        let settings = settings.map(Option::unwrap_or_default);
        if let Ok(settings) = &settings {
            file.known.clone_from(settings);
        }
        (file, settings)
    }

    /// `true` unless the last access failed.
    pub(crate) fn works(&self) -> bool {
        !self.has_failed
    }

    /// Describes a failure for the user. Only the first of several failures in a row is returned.
    fn report<T>(&mut self, result: io::Result<T>, what: &str) -> Result<Option<T>, String> {
        let had_failed = std::mem::replace(&mut self.has_failed, result.is_err());
        result.map(Some).or_else(|error| {
            let reason = system_reason(&error, "folder");
            let text = format!("{what}: {}: {reason}", self.path.display());
            log::warn!("{text}");
            if had_failed { Ok(None) } else { Err(text) }
        })
    }

    /// Writes the settings that this window has changed. If the file was written, the result
    /// includes the changes of other windows.
    ///
    /// # Errors
    /// Fails if the file cannot be written. Only the first of several failures in a row is
    /// returned, as a message for the user.
    pub(crate) fn save(&mut self, settings: &Settings) -> Result<Option<Settings>, String> {
        if *settings == self.known {
            return Ok(None);
        }
        let merged = self.merge_and_write(settings);
        let merged = self.report(merged, "Settings are not saved")?;
        if let Some(merged) = &merged {
            self.known = settings.clone();
            self.known.adopt(merged.clone());
        }
        Ok(merged)
    }

    /// Returns the settings merged with the changes of other windows, if the file has changed since
    /// the last access.
    ///
    /// # Errors
    /// Fails if the file cannot be read. Only the first of several failures in a row is returned,
    /// as a message for the user.
    pub(crate) fn read_changes(&mut self, settings: &Settings) -> Result<Option<Settings>, String> {
        let modified = modified(&self.path);
        if modified == self.modified {
            return Ok(None);
        }
        self.modified = modified;
        let others = read(&self.path);
        let what = "Settings are neither read nor saved";
        let Some(Some(others)) = self.report(others, what)? else {
            return Ok(None);
        };
        let merged = self.merged(settings, &others).ok();
        self.known.adopt(others);
        Ok(merged)
    }

    fn merge_and_write(&mut self, settings: &Settings) -> io::Result<Settings> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let _lock = lock(&self.path.with_extension("lock"))?;
        let others = read(&self.path)?;
        let merged = match &others {
            Some(others) => self.merged(settings, others)?,
            None => settings.clone(),
        };
        if others.as_ref() != Some(&merged) {
            let bytes = serde_json::to_vec_pretty(&merged)?;
            saving::write_atomically(&self.path, |out| out.write_all(&bytes))?;
        }
        self.modified = modified(&self.path);
        Ok(merged)
    }

    fn merged(&self, settings: &Settings, others: &Settings) -> serde_json::Result<Settings> {
        let [known, settings, others] = [&self.known, settings, others].map(serde_json::to_value);
        let mut merged: Settings = serde_json::from_value(merge(&known?, settings?, others?))?;
        merged.repair();
        Ok(merged)
    }
}

fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|file| file.modified()).ok()
}

/// Prevents other windows from writing until the returned file is closed.
fn lock(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    let file = options
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    for _ in 0..LOCK_ATTEMPTS {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            // Some file systems do not support locks.
            Ok(()) | Err(TryLockError::Error(_)) => break,
        }
    }
    Ok(file)
}

/// Merges two versions of a value with a common ancestor. For each setting, a change of this window
/// wins over the others' value. Entries that only one side has added or removed are added or removed.
fn merge(known: &Value, ours: Value, others: Value) -> Value {
    match (known, ours, others) {
        (Value::Object(known), Value::Object(ours), Value::Object(mut others)) => {
            let mut merged = serde_json::Map::new();
            for (key, value) in ours {
                let value = match (known.get(&key), others.remove(&key)) {
                    (Some(known), Some(others)) => merge(known, value, others),
                    (Some(known), None) if *known == value => continue,
                    _ => value,
                };
                merged.insert(key, value);
            }
            others.retain(|key, _| !known.contains_key(key));
            merged.extend(others);
            merged.into()
        }
        (known, ours, others) if *known == ours => others,
        (Value::Array(known), Value::Array(ours), Value::Array(others))
            if !ours.iter().chain(&others).any(Value::is_number) =>
        {
            merge_lists(known, &ours, &others).into()
        }
        (_, ours, _) => ours,
    }
}

/// Merges two versions of a list. Removals and additions of both sides are kept. Entries that this
/// window has put first stay first; the others' order applies to the rest.
fn merge_lists(known: &[Value], ours: &[Value], others: &[Value]) -> Vec<Value> {
    let added = ours.iter().rposition(|value| !known.contains(value));
    let moved = ours.iter().position(|value| known.first() == Some(value));
    let first = added.map_or(0, |at| at + 1).max(moved.unwrap_or(0));
    let (first, rest) = ours.split_at(first);
    let is_removed = |value: &Value| known.contains(value) && !others.contains(value);
    let rest = others
        .iter()
        .filter(|value| !first.contains(value) && (rest.contains(value) || !known.contains(value)));
    first
        .iter()
        .filter(|value| !is_removed(value))
        .chain(rest)
        .cloned()
        .collect()
}

/// The version of a settings file. Files of older programs have none.
#[derive(serde::Deserialize)]
#[serde(expecting = "an object")]
struct FileVersion {
    #[serde(default)]
    version: u32,
}

/// Reads a settings file. Missing settings have their defaults. `None` if the file does not exist.
///
/// # Errors
/// Fails if it cannot be read, has invalid content, or is of a newer version.
fn read(file: &Path) -> io::Result<Option<Settings>> {
    let meta = match fs::metadata(file) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // Reading a pipe would block until a writer appears.
    if !meta.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if meta.len() > MAX_FILE_BYTES {
        return Err(io::Error::other("it is larger than 1 MiB"));
    }
    let bytes = fs::read(file)?;
    let invalid = |error| io::Error::other(format!("{error}; correct or delete the file"));
    let FileVersion { version } = serde_json::from_slice(&bytes).map_err(invalid)?;
    if version > VERSION {
        return Err(io::Error::other(format!(
            "it has version {version}, and this program reads version {VERSION}; update the \
             program or delete the file"
        )));
    }
    let mut settings: Settings = serde_json::from_slice(&bytes).map_err(invalid)?;
    settings.repair();
    Ok(Some(settings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::docks::Panel;
    use crate::viewer::state::settings::DockState;
    use crate::viewer::view::camera_control::CameraMode;
    use mapscope_scene::MapChoice;

    fn load(file: &Path) -> Settings {
        SettingsFile::open(file.to_owned()).1.unwrap()
    }

    /// Settings that were changed.
    fn doubled() -> Settings {
        Settings {
            scale: 2.0,
            ..Settings::default()
        }
    }

    /// A window.
    fn opened(file: &Path) -> (SettingsFile, Settings) {
        let (file, settings) = SettingsFile::open(file.to_owned());
        (file, settings.unwrap())
    }

    /// Two windows that share a file.
    fn two(file: &Path) -> [(SettingsFile, Settings); 2] {
        [(); 2].map(|()| opened(file))
    }

    /// Saves the settings of a window, and applies the merged result.
    fn save((file, settings): &mut (SettingsFile, Settings)) {
        if let Some(merged) = file.save(settings).unwrap() {
            settings.adopt(merged);
        }
    }

    #[test]
    fn each_window_writes_what_it_has_changed_and_takes_over_the_rest() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        let [mut a, mut b] = two(&file);
        a.1.add_texture_folder(Path::new("/a"));
        a.1.scale = 1.1;
        a.1.left.open = Some(Panel::Kinds);
        save(&mut a);
        // The second window has not read the file since.
        b.1.remember_file(Path::new("/b.pfmap"));
        b.1.left.size = 333.0;
        b.1.window_size = [700.0, 500.0];
        save(&mut b);
        let saved = load(&file);
        assert_eq!(saved.texture_folders, [Path::new("/a")]);
        assert_eq!(saved.recent_files, [Path::new("/b.pfmap")]);
        assert_eq!((saved.scale, saved.window_size), (1.1, [700.0, 500.0]));
        let left = DockState {
            open: Some(Panel::Kinds),
            size: 333.0,
        };
        assert_eq!(saved.left, left);
        // The window layout stays unchanged.
        assert_eq!(b.1.texture_folders, saved.texture_folders);
        assert_eq!((b.1.scale, b.1.left.open), (1.1, Some(Panel::Outliner)));
        // The file is not written again because of a different window layout.
        b.1.remember_file(Path::new("/c.pfmap"));
        save(&mut b);
        assert_eq!(load(&file).left, left);
        let merged = a.0.read_changes(&a.1).unwrap().unwrap();
        a.1.adopt(merged);
        assert_eq!(a.1.recent_files, ["/c.pfmap", "/b.pfmap"].map(Path::new));
        assert_eq!(a.1.window_size, Settings::default().window_size);
        assert_eq!(a.0.read_changes(&a.1), Ok(None), "nothing new");
    }

    #[test]
    fn a_file_that_breaks_while_the_window_is_open_is_kept_and_said_once() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        let mut window = opened(&file);
        window.1.scale = 2.0;
        save(&mut window);
        fs::write(&file, "{\"scale\": 1.5,}").unwrap();
        window.0.modified = None;
        let message = window.0.read_changes(&window.1).unwrap_err();
        assert!(message.contains("at line 1 column 15"), "{message}");
        window.1.mini_map = false;
        save(&mut window);
        assert_eq!(fs::read_to_string(&file).unwrap(), "{\"scale\": 1.5,}");
        fs::write(&file, "{\"scale\": 1.5}").unwrap();
        save(&mut window);
        let saved = load(&file);
        assert_eq!((saved.scale, saved.mini_map), (1.5, false));
    }

    #[test]
    fn windows_keep_the_keys_of_each_other_and_settings_that_they_do_not_know() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        let json = r#"{"keys": {"gone": ["F5"], "quit": ["Alt+F4"], "close": []}, "later": [1]}"#;
        fs::write(&file, json).unwrap();
        let [mut a, mut b] = two(&file);
        let key = |text| Some(vec![crate::viewer::keymap::parse_key(text).unwrap()]);
        a.1.keys.set("open", key("F2"));
        a.1.keys.set("quit", None);
        save(&mut a);
        b.1.keys.set("reload", key("F3"));
        b.1.keys.set("close", None);
        save(&mut b);
        assert_eq!(b.1.keys, load(&file).keys);
        let saved: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let keys = serde_json::json!({"gone": ["F5"], "open": ["F2"], "reload": ["F3"]});
        assert_eq!(saved["keys"], keys);
        assert_eq!(saved["later"], serde_json::json!([1]));
        assert_eq!(saved["version"], 1);
    }

    #[test]
    fn what_one_window_removes_and_another_adds_is_removed_and_added() {
        let list = |names: &str| -> Vec<Value> {
            names.chars().map(|name| name.to_string().into()).collect()
        };
        let merged = |known: &str, ours: &str, others: &str| -> String {
            let [known, ours, others] = [known, ours, others].map(list);
            let merged = merge_lists(&known, &ours, &others);
            merged.iter().filter_map(Value::as_str).collect()
        };
        assert_eq!(merged("abc", "xabc", "yabc"), "xyabc");
        assert_eq!(merged("abc", "cab", "yabc"), "cyab", "opened again");
        assert_eq!(merged("abc", "axbc", "yabc"), "axybc");
        assert_eq!(merged("abc", "abcx", "abcy"), "abcxy", "added at the end");
        assert_eq!(merged("abc", "bc", "yabc"), "ybc");
        assert_eq!(merged("abc", "xabc", "ac"), "xac");
        assert_eq!(merged("abc", "", "yabc"), "y", "cleared");
        assert_eq!(merged("", "x", "y"), "xy");
    }

    #[test]
    fn many_windows_that_save_at_once_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        thread::scope(|scope| {
            for number in 0..8 {
                let mut window = opened(&file);
                let folder = PathBuf::from(format!("/{number}"));
                scope.spawn(move || {
                    window.1.add_texture_folder(&folder);
                    save(&mut window);
                });
            }
        });
        assert_eq!(load(&file).texture_folders.len(), 8);
    }

    #[test]
    fn what_cannot_be_written_is_said_once() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("config");
        fs::write(&folder, "a file").unwrap();
        let path = folder.join("settings.json");
        let (mut file, message) = SettingsFile::open(path.clone());
        let message = message.unwrap_err();
        assert!(message.contains("settings.json"), "{message}");
        let settings = doubled();
        assert_eq!(file.save(&settings), Ok(None));
        fs::remove_file(&folder).unwrap();
        assert!(file.save(&settings).unwrap().is_some());
        assert_eq!(load(&path).scale, 2.0);
    }

    #[test]
    fn only_a_regular_file_of_some_size_is_read_and_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let (mut file, message) = SettingsFile::open(path.clone());
        let message = message.unwrap_err();
        assert!(message.ends_with("it is not a regular file"), "{message}");
        let settings = doubled();
        assert_eq!(file.save(&settings), Ok(None), "it was said");
        assert!(!path.metadata().unwrap().is_file());
        fs::remove_file(&path).unwrap();
        let large = File::create(&path).unwrap();
        large.set_len(200 << 20).unwrap();
        assert!(read(&path).is_err());
    }

    #[test]
    fn settings_come_back_as_they_were_saved() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("deep/settings.json");
        let mut settings = Settings::default();
        settings.remember_file(Path::new("/maps/日本 100%.pfmap"));
        settings.left.open = Some(Panel::Kinds);
        settings.bottom.size = 211.0;
        settings.timeline.smooth = true;
        assert!(settings.add_texture_folder(Path::new("/textures")));
        assert!(!settings.add_texture_folder(Path::new("/textures")));
        settings.choose_map(Path::new("/a.pfscene"), &MapChoice::File("/b.pfmap".into()));
        settings.choose_map(Path::new("/c.pfscene"), &MapChoice::Nowhere);
        let (mut saved, _) = opened(&file);
        saved.save(&settings).unwrap();
        assert_eq!(load(&file), settings);
    }

    #[test]
    fn a_broken_file_never_prevents_the_start() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        assert_eq!(load(&file), Settings::default());
        for (text, reason) in [
            ("", "EOF while parsing a value at line 1 column 0"),
            ("{", "EOF while parsing an object at line 1 column 1"),
            (
                "{\n\"scale\": 2\n\"left\"",
                "expected `,` or `}` at line 3 column 1",
            ),
            (
                "null",
                "invalid type: null, expected an object at line 1 column 4",
            ),
            (
                "{\n \"window_size\": \"big\"}",
                "invalid type: string \"big\", expected an array of length 2 at line 2 column 21",
            ),
            ("\u{0}\u{1}", "expected value at line 1 column 1"),
            (
                "{\"version\": 2, \"scale\": \"huge\"}",
                "it has version 2, and this program reads version 1; update the program or delete \
                 the file",
            ),
        ] {
            fs::write(&file, text).unwrap();
            let (mut window, message) = SettingsFile::open(file.clone());
            let message = message.unwrap_err();
            assert!(message.contains(reason), "{text}: {message}");
            // The file is kept until it is corrected. That was said.
            let settings = doubled();
            assert_eq!(window.save(&settings), Ok(None), "{text}");
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
            fs::write(&file, "{\"mini_map\": false}").unwrap();
            let merged = window.save(&settings).unwrap().unwrap();
            assert_eq!((merged.scale, merged.mini_map), (2.0, false), "{text}");
        }
        fs::write(
            &file,
            r#"{"window_size": [-5, 1e30], "scale": 0, "left": {"open": "problems", "size": 1e9},
                "fields_of_view": {"usual": 300, "first_person": 0}}"#,
        )
        .unwrap();
        let settings = load(&file);
        assert_eq!(settings.window_size, [320.0, 16384.0]);
        assert_eq!(settings.scale, 0.5);
        let fields =
            [CameraMode::Fly, CameraMode::Walk].map(|mode| settings.fields_of_view.of(mode));
        assert_eq!(fields, [110.0, 30.0]);
        assert_eq!(
            settings.left,
            DockState {
                open: None,
                size: 4096.0
            }
        );
    }
}
