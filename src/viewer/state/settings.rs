//! What is remembered from one start to the next.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::folder;
use crate::viewer::docks::{Dock, Panel};
use crate::viewer::view::fields_of_view::FieldsOfView;
use mapscope_scene::MapChoice;

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
    /// Brings numbers that a file may have wrong into the range where the window is usable.
    pub(crate) fn repair(&mut self) {
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
        assert_eq!(settings.chosen_maps.len(), CHOSEN_MAPS);
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
