//! What is remembered from one start to the next.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{io, thread};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::folder;
use crate::viewer::docks::{Dock, Panel};
use crate::viewer::view::fields_of_view::FieldsOfView;
use mapscope_scene::{MapChoice, saving, system_reason};

/// Recent files that are remembered.
const RECENT_FILES: usize = 12;
/// Scenes whose maps are remembered.
const CHOSEN_MAPS: usize = 64;
/// Width and height of the smallest window that is opened, in logical pixels.
const MIN_WINDOW: [f32; 2] = [320.0, 240.0];
/// Logical pixels that the title bar and a bar of the desktop take from the height of a screen.
const BARS_HEIGHT: f32 = 64.0;
/// Height in logical pixels of a screen below which none are left to them.
const LOW_SCREEN: f32 = 640.0;

/// More bytes are no settings.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// How often another window is asked to let go of the file, and the time between.
const LOCK_ATTEMPTS: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// An edge of the window: which of its panels is open, and how much room it takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct DockState {
    /// The panel that is open, if any.
    pub open: Option<Panel>,
    /// Width or height in logical pixels.
    pub size: f32,
}

/// How wide the left dock is at first, in points.
pub(crate) const LEFT_SIZE: f32 = 250.0;

/// How clips are played.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TimelineSettings {
    /// Whether the timeline is shown for files that have clips.
    pub shown: bool,
    /// Whether poses between two frames are shown.
    pub smooth: bool,
}

impl Default for TimelineSettings {
    fn default() -> Self {
        Self {
            shown: true,
            smooth: false,
        }
    }
}

/// The map that was chosen for a scene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChosenMap {
    /// The file of the scene.
    pub scene: PathBuf,
    /// That of the map; none where it is to stand on no map.
    pub map: Option<PathBuf>,
}

impl ChosenMap {
    /// Which map a scene stands on, of those that were chosen: one that is gone was not.
    pub(crate) fn of(scene: &Path, chosen: &[Self]) -> MapChoice {
        match chosen.iter().find(|chosen| chosen.scene == scene) {
            Some(Self { map: None, .. }) => MapChoice::Nowhere,
            Some(Self { map: Some(map), .. }) if map.is_file() => MapChoice::File(map.clone()),
            _ => MapChoice::Beside,
        }
    }
}

/// Everything that is remembered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// Width and height of the window's inside, in logical pixels.
    pub window_size: [f32; 2],
    /// Whether the window filled the desktop.
    pub maximized: bool,
    /// Size of text and buttons; 1 is normal.
    pub scale: f32,
    /// The left edge.
    pub left: DockState,
    /// The right edge.
    pub right: DockState,
    /// The bottom edge.
    pub bottom: DockState,
    /// Whether the list of problems was closed: then no file opens it by itself.
    pub keeps_problems_closed: bool,
    /// Whether a 2D map is shown small as a whole beside the flat view of it.
    pub mini_map: bool,
    /// Whether the surface of a model shows the weights of the joint that is selected.
    pub joint_weights: bool,
    /// The timeline.
    pub timeline: TimelineSettings,
    /// How wide the camera sees.
    pub fields_of_view: FieldsOfView,
    /// Files that were opened, the newest first.
    pub recent_files: Vec<PathBuf>,
    /// Folders in which textures are looked for last.
    pub texture_folders: Vec<PathBuf>,
    /// The maps that were chosen for scenes, the newest first.
    pub chosen_maps: Vec<ChosenMap>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            window_size: [1280.0, 800.0],
            maximized: false,
            scale: 1.0,
            left: DockState {
                open: Some(Panel::Outliner),
                size: LEFT_SIZE,
            },
            right: DockState {
                open: Some(Panel::Inspector),
                size: 300.0,
            },
            bottom: DockState {
                open: None,
                size: 170.0,
            },
            keeps_problems_closed: false,
            mini_map: true,
            joint_weights: true,
            timeline: TimelineSettings::default(),
            fields_of_view: FieldsOfView::default(),
            recent_files: Vec::new(),
            texture_folders: Vec::new(),
            chosen_maps: Vec::new(),
        }
    }
}

impl Settings {
    /// The file they are kept in, where the system has a place for it.
    pub(crate) fn file() -> Option<PathBuf> {
        let folders = directories::ProjectDirs::from("", "", "mapscope")?;
        Some(folders.config_dir().join("settings.json"))
    }

    /// What a file holds; what is missing in it is as at the first start. None where there is no file, or
    /// one with something else in it.
    ///
    /// # Errors
    /// When it cannot be read, or cannot be a file of settings.
    fn read(file: &Path) -> io::Result<Option<Self>> {
        let meta = match fs::metadata(file) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        // Reading a pipe would wait for a writer.
        if !meta.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        if meta.len() > MAX_FILE_BYTES {
            return Err(io::Error::other("it is larger than 1 MiB"));
        }
        Ok(serde_json::from_slice(&fs::read(file)?)
            .map_err(|error| log::warn!("{} is not used: {error}", file.display()))
            .ok()
            .map(|mut settings: Self| {
                settings.repair();
                settings
            }))
    }

    /// Brings numbers that a file may have wrong into the range where the window is usable.
    fn repair(&mut self) {
        let default = Self::default();
        let fix = |value: &mut f32, least: f32, most: f32, normal: f32| {
            *value = if value.is_finite() {
                value.clamp(least, most)
            } else {
                normal
            };
        };
        let [width, height] = &mut self.window_size;
        fix(width, MIN_WINDOW[0], 16384.0, default.window_size[0]);
        fix(height, MIN_WINDOW[1], 16384.0, default.window_size[1]);
        fix(&mut self.scale, 0.5, 3.0, default.scale);
        self.fields_of_view.repair();
        for (dock, state, normal) in [
            (Dock::Left, &mut self.left, default.left.size),
            (Dock::Right, &mut self.right, default.right.size),
            (Dock::Bottom, &mut self.bottom, default.bottom.size),
        ] {
            fix(&mut state.size, 80.0, 4096.0, normal);
            state.open = state.open.filter(|panel| panel.dock() == dock);
        }
        // Nobody knows from where others were meant.
        self.recent_files.retain(|path| path.is_absolute());
        self.recent_files.truncate(RECENT_FILES);
    }

    /// What others have in place of these settings: all that they have changed, but not how their window
    /// looks.
    pub(crate) fn adopt(&mut self, others: Self) {
        *self = Self {
            window_size: self.window_size,
            maximized: self.maximized,
            left: self.left,
            right: self.right,
            bottom: self.bottom,
            timeline: self.timeline,
            ..others
        };
    }

    /// The state of an edge.
    pub(crate) fn dock(&self, dock: Dock) -> &DockState {
        match dock {
            Dock::Left => &self.left,
            Dock::Right => &self.right,
            Dock::Bottom => &self.bottom,
        }
    }

    /// The state of an edge, to be changed.
    pub(crate) fn dock_mut(&mut self, dock: Dock) -> &mut DockState {
        match dock {
            Dock::Left => &mut self.left,
            Dock::Right => &mut self.right,
            Dock::Bottom => &mut self.bottom,
        }
    }

    /// Puts a file at the head of the recent ones.
    pub(crate) fn remember_file(&mut self, path: &Path) {
        let path = folder::absolute(path);
        self.recent_files
            .retain(|known| !folder::is_same_file(known, &path));
        self.recent_files.insert(0, path);
        self.recent_files.truncate(RECENT_FILES);
    }

    /// Remembers which map was chosen for a scene; the one of its own name needs no mention.
    pub(crate) fn choose_map(&mut self, scene: &Path, choice: &MapChoice) {
        self.chosen_maps.retain(|chosen| chosen.scene != scene);
        let map = match choice {
            MapChoice::Beside => return,
            MapChoice::File(map) => Some(map.clone()),
            MapChoice::Nowhere => None,
        };
        let scene = scene.to_owned();
        self.chosen_maps.insert(0, ChosenMap { scene, map });
        self.chosen_maps.truncate(CHOSEN_MAPS);
    }

    /// The size of the window on a screen of some size, both in logical pixels: another screen
    /// may have been larger. Without a screen, as it was.
    pub(crate) fn window_size_on(&self, screen: Option<[f32; 2]>) -> [f32; 2] {
        let [width, height] = self.window_size;
        let Some([most_width, mut most_height]) = screen else {
            return self.window_size;
        };
        if height >= most_height && most_height >= LOW_SCREEN {
            most_height -= BARS_HEIGHT;
        }
        [
            width.min(most_width.max(MIN_WINDOW[0])),
            height.min(most_height.max(MIN_WINDOW[1])),
        ]
    }

    /// Adds a folder of textures; says whether it is new.
    pub(crate) fn add_texture_folder(&mut self, folder: &Path) -> bool {
        let new = !self.texture_folders.iter().any(|known| known == folder);
        if new {
            self.texture_folders.push(folder.to_owned());
        }
        new
    }
}

/// The file that settings are kept in. Other windows write it, too.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    path: PathBuf,
    /// The settings of this window when the file was last read or written.
    known: Settings,
    /// When the file that was last read or written was modified.
    modified: Option<SystemTime>,
    /// Whether it could not be written the last time.
    has_failed: bool,
}

impl SettingsFile {
    /// A file, and the settings in it; without any, as at the first start.
    pub(crate) fn open(path: PathBuf) -> (Self, Settings) {
        let settings = Settings::read(&path).unwrap_or_else(|error| {
            log::warn!("{} is not used: {error}", path.display());
            None
        });
        let settings = settings.unwrap_or_default();
        let file = Self {
            modified: modified(&path),
            path,
            known: settings.clone(),
            has_failed: false,
        };
        (file, settings)
    }

    /// Writes the settings that this window has changed. Those that other windows have changed come
    /// back together with them, if the file was read.
    ///
    /// # Errors
    /// When the file cannot be written, in words for the user, but only the first time in a row.
    pub(crate) fn save(&mut self, settings: &Settings) -> Result<Option<Settings>, String> {
        if *settings == self.known {
            return Ok(None);
        }
        let saved = self.merge_and_write(settings);
        let had_failed = std::mem::replace(&mut self.has_failed, saved.is_err());
        match saved {
            Ok(merged) => {
                self.known = settings.clone();
                self.known.adopt(merged.clone());
                Ok(Some(merged))
            }
            Err(error) => {
                let reason = system_reason(&error, "folder");
                let text = format!("Settings are not saved: {}: {reason}", self.path.display());
                log::warn!("{text}");
                if had_failed { Ok(None) } else { Err(text) }
            }
        }
    }

    /// The settings with those that other windows have changed, if the file has changed since this
    /// window last read or wrote it.
    pub(crate) fn look(&mut self, settings: &Settings) -> Option<Settings> {
        let modified = modified(&self.path);
        if modified == self.modified {
            return None;
        }
        self.modified = modified;
        let others = Settings::read(&self.path).ok()??;
        let merged = self.merged(settings, &others).ok()?;
        self.known.adopt(others);
        Some(merged)
    }

    fn merge_and_write(&mut self, settings: &Settings) -> io::Result<Settings> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let _lock = lock(&self.path.with_extension("lock"))?;
        let others = Settings::read(&self.path)?;
        let merged = match &others {
            Some(others) => self.merged(settings, others)?,
            None => settings.clone(),
        };
        if others.as_ref() != Some(&merged) {
            let bytes = serde_json::to_vec_pretty(&merged)?;
            saving::write_whole(&self.path, |out| out.write_all(&bytes))?;
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

/// Keeps other windows from writing until the file that is given is closed.
fn lock(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    let file = options.read(true).write(true).create(true).truncate(false);
    let file = file.open(path)?;
    for _ in 0..LOCK_ATTEMPTS {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            // Some file systems have no locks.
            Ok(()) | Err(TryLockError::Error(_)) => break,
        }
    }
    Ok(file)
}

/// What two have made of a value that both knew: of each setting what this window has now, if it has changed it,
/// and else what others have.
fn merge(known: &Value, ours: Value, others: Value) -> Value {
    match (known, ours, others) {
        (Value::Object(known), Value::Object(ours), Value::Object(mut others)) => ours
            .into_iter()
            .map(|(key, value)| {
                let merged = match (known.get(&key), others.remove(&key)) {
                    (Some(known), Some(others)) => merge(known, value, others),
                    _ => value,
                };
                (key, merged)
            })
            .collect(),
        (known, ours, others) if *known == ours => others,
        (Value::Array(known), Value::Array(ours), Value::Array(others))
            if !ours.iter().chain(&others).any(Value::is_number) =>
        {
            merge_lists(known, &ours, &others).into()
        }
        (_, ours, _) => ours,
    }
}

/// A list without what either has removed, with what either has added: what this window has put first
/// stays first, and the rest is as others have it.
fn merge_lists(known: &[Value], ours: &[Value], others: &[Value]) -> Vec<Value> {
    let added = ours.iter().rposition(|value| !known.contains(value));
    let moved = ours.iter().position(|value| known.first() == Some(value));
    let first = added.map_or(0, |at| at + 1).max(moved.unwrap_or(0));
    let (first, rest) = ours.split_at(first);
    let is_removed = |value: &Value| known.contains(value) && !others.contains(value);
    let rest = others
        .iter()
        .filter(|value| !first.contains(value) && (rest.contains(value) || !known.contains(value)));
    let first = first.iter().filter(|value| !is_removed(value));
    first.chain(rest).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::view::camera_control::CameraMode;

    fn load(file: &Path) -> Settings {
        SettingsFile::open(file.to_owned()).1
    }

    /// Two windows with one file.
    fn two(file: &Path) -> [(SettingsFile, Settings); 2] {
        [(); 2].map(|()| SettingsFile::open(file.to_owned()))
    }

    /// Saves the settings of a window, which takes over those of others.
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
        // It knows nothing of that.
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
        // How its window looks stays as it is.
        assert_eq!(b.1.texture_folders, saved.texture_folders);
        assert_eq!((b.1.scale, b.1.left.open), (1.1, Some(Panel::Outliner)));
        // And is not written again because another window has it otherwise.
        b.1.remember_file(Path::new("/c.pfmap"));
        save(&mut b);
        assert_eq!(load(&file).left, left);
        let merged = a.0.look(&a.1).unwrap();
        a.1.adopt(merged);
        assert_eq!(a.1.recent_files, ["/c.pfmap", "/b.pfmap"].map(Path::new));
        assert_eq!(a.1.window_size, Settings::default().window_size);
        assert_eq!(a.0.look(&a.1), None, "nothing new");
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
                let mut window = SettingsFile::open(file.clone());
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
        let (mut file, mut settings) = SettingsFile::open(path.clone());
        settings.scale = 2.0;
        let said = file.save(&settings).unwrap_err();
        assert!(said.contains("settings.json"), "{said}");
        assert_eq!(file.save(&settings), Ok(None));
        fs::remove_file(&folder).unwrap();
        assert!(file.save(&settings).unwrap().is_some());
        assert_eq!(load(&path).scale, 2.0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_a_regular_file_of_some_size_is_read_and_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let (mut file, mut settings) = SettingsFile::open(path.clone());
        assert_eq!(settings, Settings::default());
        settings.scale = 2.0;
        assert!(file.save(&settings).is_err());
        assert!(!path.metadata().unwrap().is_file());
        fs::remove_file(&path).unwrap();
        let large = File::create(&path).unwrap();
        large.set_len(200 << 20).unwrap();
        assert!(Settings::read(&path).is_err());
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
        let (mut saved, _) = SettingsFile::open(file.clone());
        saved.save(&settings).unwrap();
        assert_eq!(load(&file), settings);
    }

    #[test]
    fn the_map_that_was_chosen_last_counts() {
        let mut settings = Settings::default();
        let scene = Path::new("/a.pfscene");
        let is_chosen = |settings: &Settings| ChosenMap::of(scene, &settings.chosen_maps);
        settings.choose_map(scene, &MapChoice::File("/gone.pfmap".into()));
        assert_eq!(is_chosen(&settings), MapChoice::Beside);
        settings.choose_map(scene, &MapChoice::Nowhere);
        assert_eq!(is_chosen(&settings), MapChoice::Nowhere);
        assert_eq!(settings.chosen_maps.len(), 1);
        settings.choose_map(scene, &MapChoice::Beside);
        assert!(settings.chosen_maps.is_empty());
        for number in 0..100 {
            let scene = PathBuf::from(format!("/{number}.pfscene"));
            settings.choose_map(&scene, &MapChoice::Nowhere);
        }
        assert_eq!(settings.chosen_maps.len(), CHOSEN_MAPS);
    }

    #[test]
    fn a_broken_file_never_prevents_the_start() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        assert_eq!(load(&file), Settings::default());
        for text in [
            "",
            "{",
            "[]",
            "null",
            "{\"window_size\": \"big\"}",
            "\u{0}\u{1}",
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(load(&file), Settings::default(), "{text}");
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

    #[test]
    fn a_recent_file_stands_there_once_and_means_the_same_from_everywhere() {
        let mut settings = Settings::default();
        settings.remember_file(Path::new("Cargo.toml"));
        let here = std::env::current_dir().unwrap();
        assert_eq!(settings.recent_files, [here.join("Cargo.toml")]);
        settings.remember_file(&here.join("src/../Cargo.toml"));
        assert_eq!(settings.recent_files.len(), 1);
        settings.recent_files.push("from/somewhere.pfmap".into());
        settings.repair();
        assert_eq!(settings.recent_files.len(), 1);
    }

    #[test]
    fn a_window_is_no_larger_than_its_screen() {
        let settings = Settings {
            window_size: [1590.0, 970.0],
            ..Settings::default()
        };
        assert_eq!(
            settings.window_size_on(Some([1600.0, 1000.0])),
            [1590.0, 970.0]
        );
        assert_eq!(
            settings.window_size_on(Some([1600.0, 970.0])),
            [1590.0, 970.0 - BARS_HEIGHT]
        );
        assert_eq!(
            settings.window_size_on(Some([1200.0, 750.0])),
            [1200.0, 750.0 - BARS_HEIGHT]
        );
        assert_eq!(
            settings.window_size_on(Some([800.0, 500.0])),
            [800.0, 500.0]
        );
        assert_eq!(settings.window_size_on(Some([0.0, 0.0])), MIN_WINDOW);
        assert_eq!(settings.window_size_on(None), [1590.0, 970.0]);
    }

    #[test]
    fn recent_files_are_few_newest_first_and_none_twice() {
        let mut settings = Settings::default();
        for number in 0..30 {
            settings.remember_file(&PathBuf::from(format!("/{number}")));
        }
        settings.remember_file(Path::new("/25"));
        assert_eq!(settings.recent_files.len(), RECENT_FILES);
        assert_eq!(
            settings.recent_files[..3],
            ["/25", "/29", "/28"].map(PathBuf::from)
        );
    }
}
