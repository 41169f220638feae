//! Persistent settings.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::bookmarks::FileViews;
use super::folder;
use crate::viewer::docks::{Dock, Panel};
use crate::viewer::keymap::Keymap;
use crate::viewer::theme::ThemeChoice;
use crate::viewer::view::fields_of_view::FieldsOfView;
use crate::viewer::view::navigation::Navigation;
use mapscope_scene::MapChoice;

/// The version of the settings file that this program reads and writes.
pub(crate) const VERSION: u32 = 1;
/// Maximum number of recent files.
const MAX_RECENT_FILES: usize = 12;
/// Maximum number of remembered scene maps.
const MAX_CHOSEN_MAPS: usize = 64;
/// Minimum window size in logical pixels.
const MIN_WINDOW: [f32; 2] = [320.0, 240.0];
/// Height in logical pixels that the title bar and a desktop panel need.
const BARS_HEIGHT: f32 = 64.0;
/// Height in logical pixels of a screen on which no room is reserved for them.
const LOW_SCREEN: f32 = 640.0;

/// A dock: its open panel and its size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct DockState {
    /// The panel that is open, if any.
    pub open: Option<Panel>,
    /// Width or height in logical pixels.
    pub size: f32,
}

/// Initial width of the left dock, in points.
pub(crate) const DEFAULT_LEFT_SIZE: f32 = 250.0;

/// Playback settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TimelineSettings {
    /// `true` if files with clips show the timeline.
    pub shown: bool,
    /// `true` if poses between two frames are interpolated.
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
    /// The scene file.
    pub scene: PathBuf,
    /// The map file; `None` for a scene without a map.
    pub map: Option<PathBuf>,
}

impl ChosenMap {
    /// The map choice of a scene. A remembered map that no longer exists is ignored.
    pub(crate) fn of(scene: &Path, chosen: &[Self]) -> MapChoice {
        match chosen.iter().find(|chosen| chosen.scene == scene) {
            Some(Self { map: None, .. }) => MapChoice::Nowhere,
            Some(Self { map: Some(map), .. }) if map.is_file() => MapChoice::File(map.clone()),
            _ => MapChoice::Beside,
        }
    }
}

/// All persistent settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// [`VERSION`] of the file.
    pub version: u32,
    /// Inner size of the window, in logical pixels.
    pub window_size: [f32; 2],
    /// `true` if the window was maximised.
    pub maximized: bool,
    /// Size of text and buttons; 1 is normal.
    pub scale: f32,
    /// The left dock.
    pub left: DockState,
    /// The right dock.
    pub right: DockState,
    /// The bottom dock.
    pub bottom: DockState,
    /// `true` if the user closed the problems panel. It then does not open automatically.
    pub keeps_problems_closed: bool,
    /// `true` if views of maps have a mini map.
    pub mini_map: bool,
    /// `true` if views of maps from above have rulers.
    pub rulers: bool,
    /// `true` if bookmarks have pins in the view.
    pub bookmark_pins: bool,
    /// `true` if a model shows the weights of the selected joint.
    pub joint_weights: bool,
    /// The timeline.
    pub timeline: TimelineSettings,
    /// Fields of view of the camera.
    pub fields_of_view: FieldsOfView,
    /// Recently opened files, newest first.
    pub recent_files: Vec<PathBuf>,
    /// Folders that are searched for textures last.
    pub texture_folders: Vec<PathBuf>,
    /// The chosen maps of scenes, newest first.
    pub chosen_maps: Vec<ChosenMap>,
    /// The command of the editor with placeholders, such as `code --goto {file}:{line}:{column}`.
    /// If it is empty, the editor is searched for.
    pub editor: String,
    /// `true` if files open in the view in which they were closed.
    pub remembers_views: bool,
    /// The remembered views of files, newest first.
    pub views: Vec<FileViews>,
    /// The theme of the window.
    pub theme: ThemeChoice,
    /// Drags and the wheel in the view.
    pub navigation: Navigation,
    /// The keys that differ from the default keys.
    pub keys: Keymap,
    /// Settings of other versions of the program, which are kept unchanged.
    #[serde(flatten)]
    pub unknown: serde_json::Map<String, serde_json::Value>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            version: VERSION,
            window_size: [1280.0, 800.0],
            maximized: false,
            scale: 1.0,
            left: DockState {
                open: Some(Panel::Outliner),
                size: DEFAULT_LEFT_SIZE,
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
            rulers: true,
            bookmark_pins: true,
            joint_weights: true,
            timeline: TimelineSettings::default(),
            fields_of_view: FieldsOfView::default(),
            recent_files: Vec::new(),
            texture_folders: Vec::new(),
            chosen_maps: Vec::new(),
            editor: String::new(),
            remembers_views: true,
            views: Vec::new(),
            theme: ThemeChoice::default(),
            navigation: Navigation::default(),
            keys: Keymap::default(),
            unknown: serde_json::Map::new(),
        }
    }
}

impl Settings {
    /// Clamps invalid numbers of a settings file to usable values.
    pub(crate) fn repair(&mut self) {
        let default = Self::default();
        let fix = |value: &mut f32, min: f32, max: f32, default_value: f32| {
            *value = if value.is_finite() {
                value.clamp(min, max)
            } else {
                default_value
            };
        };
        let [width, height] = &mut self.window_size;
        fix(width, MIN_WINDOW[0], 16384.0, default.window_size[0]);
        fix(height, MIN_WINDOW[1], 16384.0, default.window_size[1]);
        fix(&mut self.scale, 0.5, 3.0, default.scale);
        self.fields_of_view.repair();
        for (dock, state, default_value) in [
            (Dock::Left, &mut self.left, default.left.size),
            (Dock::Right, &mut self.right, default.right.size),
            (Dock::Bottom, &mut self.bottom, default.bottom.size),
        ] {
            fix(&mut state.size, 80.0, 4096.0, default_value);
            state.open = state.open.filter(|panel| panel.dock() == dock);
        }
        // The base folder of relative paths is unknown.
        self.recent_files.retain(|path| path.is_absolute());
        self.recent_files.truncate(MAX_RECENT_FILES);
    }

    /// Adopts the settings of another window, except for its layout.
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

    /// The state of a dock.
    pub(crate) fn dock(&self, dock: Dock) -> &DockState {
        match dock {
            Dock::Left => &self.left,
            Dock::Right => &self.right,
            Dock::Bottom => &self.bottom,
        }
    }

    /// The mutable state of a dock.
    pub(crate) fn dock_mut(&mut self, dock: Dock) -> &mut DockState {
        match dock {
            Dock::Left => &mut self.left,
            Dock::Right => &mut self.right,
            Dock::Bottom => &mut self.bottom,
        }
    }

    /// Moves a file to the front of the recent files.
    pub(crate) fn remember_file(&mut self, path: &Path) {
        let path = folder::absolute(path);
        self.recent_files
            .retain(|known| !folder::is_same_file(known, &path));
        self.recent_files.insert(0, path);
        self.recent_files.truncate(MAX_RECENT_FILES);
    }

    /// Remembers the map that was chosen for a scene. The default choice is not stored.
    pub(crate) fn choose_map(&mut self, scene: &Path, choice: &MapChoice) {
        self.chosen_maps.retain(|chosen| chosen.scene != scene);
        let map = match choice {
            MapChoice::Beside => return,
            MapChoice::File(map) => Some(map.clone()),
            MapChoice::Nowhere => None,
        };
        let scene = scene.to_owned();
        self.chosen_maps.insert(0, ChosenMap { scene, map });
        self.chosen_maps.truncate(MAX_CHOSEN_MAPS);
    }

    /// The size of the window on a screen, both in logical pixels. The screen may be smaller than
    /// the previous one. Without a screen, the stored size.
    pub(crate) fn window_size_on(&self, screen: Option<[f32; 2]>) -> [f32; 2] {
        let [width, height] = self.window_size;
        let Some([max_width, mut max_height]) = screen else {
            return self.window_size;
        };
        if height >= max_height && max_height >= LOW_SCREEN {
            max_height -= BARS_HEIGHT;
        }
        [
            width.min(max_width.max(MIN_WINDOW[0])),
            height.min(max_height.max(MIN_WINDOW[1])),
        ]
    }

    /// Adds a texture folder. Returns `true` if it is new.
    pub(crate) fn add_texture_folder(&mut self, folder: &Path) -> bool {
        let new = !self.texture_folders.iter().any(|known| known == folder);
        if new {
            self.texture_folders.push(folder.to_owned());
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
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
        assert_eq!(settings.chosen_maps.len(), MAX_CHOSEN_MAPS);
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
        assert_eq!(settings.recent_files.len(), MAX_RECENT_FILES);
        assert_eq!(
            settings.recent_files[..3],
            ["/25", "/29", "/28"].map(PathBuf::from)
        );
    }
}
