//! The table of commands.
//!
//! Menus, key bindings, the palette, the cheat sheet and the key tables of the documentation are
//! generated from [`all`]. It combines the table here with one command per panel and per overlay.

mod actions;
mod conflicts;
mod request;
pub mod script;

pub(crate) use self::conflicts::conflicts;
pub use self::request::Request;

use std::borrow::Cow;
use std::slice;
use std::sync::LazyLock;

use egui::{Key, KeyboardShortcut, Modifiers};

use mapscope_scene::camera::NamedView;
use mapscope_scene::demo::{self, Demo};
use mapscope_scene::{Direction, Overlay, OverlayId};

use super::docks::Panel;
use super::format::capitalized;
use super::keymap::{Keymap, key_text};
use super::state::bookmarks::MAX_BOOKMARKS;
use super::state::interface::{Dialog, FocusMove, PathPurpose};
use super::state::player::LoopMode;
use super::state::split::Split;
use super::state::{Effect, State};
use super::theme::ThemeChoice;
use super::view::navigation::{DragEffect, Preset};

/// A command for menus, keys, the palette and the buttons of panels.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// A stable identifier, such as `camera.top`.
    pub id: &'static str,
    /// Its name in menus and in the palette.
    pub name: &'static str,
    /// Its default keys, by priority.
    pub default_keys: &'static [KeyboardShortcut],
    /// Its place in the menus.
    pub menu: MenuPlace,
    /// A sentence that describes its effect.
    pub help: &'static str,
    /// Its action.
    pub action: Action,
}

/// A place in the menus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MenuPlace {
    /// Title of the menu.
    pub title: &'static str,
    /// Separators surround the commands of a group.
    pub group: u8,
}

/// The menus, from left to right.
pub const MENUS: [&str; 8] = [
    "File",
    "View",
    "Camera",
    "Select",
    "Animation",
    "Overlays",
    "Settings",
    "Help",
];

/// The action of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Open the system's file dialog.
    Open,
    /// Ask for the path of a file in the window.
    OpenPath,
    /// Open a built-in demo.
    OpenDemo(&'static Demo),
    /// Reload the open file.
    Reload,
    /// Open the next or the previous file of the folder.
    Neighbor {
        /// `true` for the previous file.
        backwards: bool,
    },
    /// Ask for the map of the scene.
    ChooseMap,
    /// Switch between a map and the scene beside it.
    Counterpart,
    /// Show the options for a picture of the view, and save it.
    SavePicture,
    /// Show the options for an animation of the view, and save it.
    SaveAnimation,
    /// Ask for a path, and save the image of a whole 2D map.
    SaveMap,
    /// Ask for a folder of textures, and add it to the settings.
    AddTextureFolder,
    /// Show the texture folders of the settings.
    TextureFolders,
    /// Close the file.
    Close,
    /// Quit the program.
    Quit,
    /// Show or hide a panel.
    Panel(Panel),
    /// Change the size of text and buttons.
    Scale(ScaleChange),
    /// Enter or leave full screen.
    FullScreen,
    /// Fill the view with the selection.
    FrameSelection,
    /// Fill the view with the whole document.
    FrameAll,
    /// Look from a named direction.
    View(NamedView),
    /// Switch between perspective and orthographic projection.
    Orthographic,
    /// Change the field of view of the perspective.
    FieldOfView(ScaleChange),
    /// Start or stop the game view.
    GameView,
    /// Start or stop flying.
    Fly,
    /// Switch between the flat and the 3D view of a 2D map.
    Flat,
    /// Show one pixel of a 2D map as one pixel of the screen.
    ActualSize,
    /// Zoom toward the middle of the view, or away from it.
    Zoom {
        /// `true` to zoom in.
        nearer: bool,
    },
    /// Open or close the measuring tool.
    Measure,
    /// Show or hide the mini map.
    MiniMap,
    /// Show or hide the rulers.
    Rulers,
    /// Freeze visibility at the current eye position, or follow the eye again.
    HoldVisibility,
    /// Show or hide the weights of the selected joint.
    SelectedWeights,
    /// Show or hide an effect of the map's environment.
    Surroundings(Surroundings),
    /// Open the place of the selection in the user's editor, or else the open file.
    Edit,
    /// Run the operation in the command's table row.
    Do(&'static Operation),
    /// Cancel, close or deselect the foremost element.
    Clear,
    /// Select the neighbour of the selected item.
    Walk(Direction),
    /// Select the next or the previous item of the same kind.
    NextOfKind {
        /// `true` for the previous item.
        backwards: bool,
    },
    /// Change the playback.
    Animation(Animation),
    /// Go to the bookmark with a number.
    Bookmark(u8),
    /// Switch an overlay on or off.
    Overlay(OverlayId),
    /// Switch off all overlays that colour the surface.
    PlainSurface,
    /// Show the next or the previous level.
    Level {
        /// `true` for the previous level.
        backwards: bool,
    },
    /// Open or close the clip box.
    Cut,
    /// Hide the selection.
    HideSelection,
    /// Show all hidden items.
    ShowAll,
    /// Show only the selected layer, or all layers again.
    Solo,
    /// Open files in their last view, or framed as a whole.
    LastView,
    /// Show the command palette.
    Palette,
    /// Make a choice, or switch an option of the settings on or off.
    Setting(Setting),
    /// Show the keyboard shortcuts.
    CheatSheet,
    /// Show the keyboard shortcuts, and change them.
    EditKeys,
    /// Show information about the program.
    About,
}

/// An operation that needs only the state, defined in its table row.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// Its unique name.
    id: &'static str,
    /// `true` if it has an effect now.
    pub(crate) is_enabled: fn(&State) -> bool,
    /// Runs it.
    pub(crate) run: fn(&mut State),
}

impl Operation {
    /// `true` if only models offer it.
    pub(crate) fn is_of_models(&self) -> bool {
        matches!(self.id, "attach" | "detach")
    }
}

impl PartialEq for Operation {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Operation {}

/// Effects of a map's sky and sun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surroundings {
    /// Shadows.
    Shadows,
}

/// The action of an animation command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Animation {
    /// Play or pause.
    Play,
    /// Stop at the start.
    Stop,
    /// Go to the next or the previous frame.
    Step {
        /// `true` for the previous frame.
        backwards: bool,
    },
    /// Go to the first or last frame of the range.
    End {
        /// `true` for the last frame.
        last: bool,
    },
    /// Switch to the next or the previous clip.
    Clip {
        /// `true` for the previous clip.
        backwards: bool,
    },
    /// Show the bind pose.
    BindPose,
    /// Set the loop mode.
    Loop(LoopMode),
    /// Switch between forward and backward playback.
    Backwards,
    /// Switch the interpolation between frames on or off.
    Smooth,
    /// Change the playback speed.
    Speed {
        /// `true` to increase it.
        faster: bool,
    },
    /// Set the start or end of the range to the current frame.
    Range {
        /// `true` for the end.
        last: bool,
    },
    /// Reset the range to the whole clip.
    WholeRange,
    /// Show or hide the timeline.
    Timeline,
}

/// A change of the interface scale or the field of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ScaleChange {
    Larger,
    Smaller,
    Reset,
}

/// A choice of the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// The drags of the 3D view.
    Navigation(Preset),
    /// The direction of the wheel.
    ReversesWheel,
    /// The direction of drags.
    ReversesDrag,
    /// The theme of the window.
    Theme(ThemeChoice),
    /// The pins of bookmarks in the view.
    BookmarkPins,
}

/// A pointer gesture in the view, and its effect.
pub(crate) type PointerGesture = (Cow<'static, str>, &'static str);

/// The drags of a navigation preset in the 3D view.
fn drags(preset: Preset) -> impl Iterator<Item = PointerGesture> {
    preset.named_drags().map(|(effect, drag)| {
        let help = match effect {
            DragEffect::Orbit => "Orbit the point under the pointer; in a room, look around",
            DragEffect::Pan => "Move the view sideways",
            DragEffect::Look => "Look around",
        };
        (capitalized(&drag).into(), help)
    })
}

/// All pointer gestures of the view.
pub(crate) fn pointer_gestures(preset: Preset) -> impl Iterator<Item = PointerGesture> {
    const FIRST: [(&str, &str); 4] = [
        (
            "Move",
            "Point at an item to see its description in the status bar",
        ),
        ("Click", "Select the item under the pointer"),
        (
            "Right click",
            "Open the menu of the item under the pointer, as in the outliner",
        ),
        (
            "Double click",
            "Centre the view on the point under the pointer",
        ),
    ];
    const OTHERS: [(&str, &str); 6] = [
        ("Drag in the flat view or the game view", "Move the map"),
        (
            "Drag while flying or walking",
            "Look around; while flying, a middle drag moves the view sideways",
        ),
        ("Left drag while measuring", "Measure"),
        (
            "Wheel",
            "Zoom toward the point under the pointer, in the flat view in whole steps; in the \
             game view, change the height; while flying, change the speed. Zooming stops at a \
             wall and, after a pause, continues into the room behind it",
        ),
        (
            "W A S D, Q E while flying",
            "Move forward, left, back, right, down and up, faster with Shift. The keys are \
             positions on a QWERTY keyboard, whatever the layout. They work at any time while \
             the right button is held",
        ),
        (
            "Drop files or a folder",
            "Open them; a folder is searched with its subfolders",
        ),
    ];
    let fixed = |(gesture, help): (&'static str, _)| (gesture.into(), help);
    let first = FIRST.into_iter().map(fixed);
    first
        .chain(drags(preset))
        .chain(OTHERS.into_iter().map(fixed))
}

const fn key(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn ctrl(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::SHIFT, key)
}

const fn alt(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::ALT, key)
}

const fn ctrl_shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

/// A row of the table.
const fn command(
    id: &'static str,
    name: &'static str,
    keys: &'static [KeyboardShortcut],
    (title, group): (&'static str, u8),
    action: Action,
    help: &'static str,
) -> Command {
    Command {
        id,
        name,
        default_keys: keys,
        menu: MenuPlace { title, group },
        help,
        action,
    }
}

/// All commands except those of panels and overlays.
#[rustfmt::skip]
static TABLE: &[Command] = &[
    command("open", "Open…", &[ctrl(Key::O)], ("File", 0), Action::Open,
        "Choose a file and open it"),
    command("open-path", "Open path…", &[ctrl_shift(Key::O)], ("File", 0), Action::OpenPath,
        "Type or paste the path of a file or folder and open it"),
    command("reload", "Reload", &[key(Key::F5), ctrl(Key::R)], ("File", 1), Action::Reload,
        "Read the file and its textures again and show them even with errors; camera and selection stay"),
    command("next-file", "Next file", &[key(Key::PageDown)], ("File", 1), Action::Neighbor { backwards: false },
        "Open the next file of the folder, or of the files opened together"),
    command("previous-file", "Previous file", &[key(Key::PageUp)], ("File", 1), Action::Neighbor { backwards: true },
        "Open the previous file"),
    command("file.back", "Go back", &[alt(Key::ArrowLeft)], ("File", 1), Action::Do(&Operation {
        id: "back",
        is_enabled: |state| state.session.can_return(true),
        run: |state| state.go_back(true),
    }),
        "Return to the previously open file and its view"),
    command("file.forward", "Go forward", &[alt(Key::ArrowRight)], ("File", 1), Action::Do(&Operation {
        id: "forward",
        is_enabled: |state| state.session.can_return(false),
        run: |state| state.go_back(false),
    }),
        "Return to the file that was open before going back"),
    command("compare.kept", "Compare with earlier version", &[], ("File", 1), Action::Do(&Operation {
        id: "compare-kept",
        is_enabled: |state| state.session.kept.is_some(),
        run: State::compare_with_kept,
    }),
        "Compare the file with its version at opening, or with the pinned one, side by side"),
    command("compare.pin", "Pin this version", &[], ("File", 1), Action::Do(&Operation {
        id: "pin",
        is_enabled: |state| state.session.document().is_some(),
        run: State::pin_version,
    }),
        "Keep the version in view in memory, to compare later ones with it"),
    command("compare", "Compare with…", &[ctrl_shift(Key::D)], ("File", 1), Action::Do(&Operation {
        id: "compare",
        is_enabled: |state| state.session.document().is_some(),
        run: |state| state.effects.push(Effect::AskPath(PathPurpose::Compare)),
    }),
        "Choose a file of the same format and list the differences"),
    command("changes.show", "Show changes", &[], ("File", 1), Action::Do(&Operation {
        id: "changes",
        is_enabled: |state| state.session.tools.comparison.found.is_some(),
        run: State::show_changes,
    }),
        "List the changes of the last reload, or the differences from the compared file"),
    command("map.scene", "Show the map's scene", &[], ("File", 1), Action::Counterpart,
        "Switch between a map and the scene of the same name beside it"),
    command("map.choose", "Choose the map…", &[], ("File", 1), Action::ChooseMap,
        "Choose the map for the scene; the choice is remembered"),
    command("save-picture", "Save picture…", &[ctrl(Key::S)], ("File", 2), Action::SavePicture,
        "Save the view as a PNG of any size"),
    command("copy-picture", "Copy picture", &[ctrl_shift(Key::P)], ("File", 2), Action::Do(&Operation {
        id: "copy-picture",
        is_enabled: |state| state.session.document().is_some(),
        run: |state| state.effects.push(Effect::CopyPicture),
    }),
        "Copy the view as a picture, to paste into other programs"),
    command("save-animation", "Save animation…", &[ctrl_shift(Key::A)], ("File", 2), Action::SaveAnimation,
        "Save a turntable, a clip or a flight through cameras as GIF, APNG or numbered PNGs"),
    command("cancel-saving", "Cancel saving", &[], ("File", 2), Action::Do(&Operation {
        id: "cancel-saving",
        is_enabled: |state| state.notices.saving.is_some(),
        run: |state| {
            if let Some(saving) = &state.notices.saving {
                saving.progress.cancel();
            }
        },
    }),
        "Cancel the save in progress and delete its partial files"),
    command("export", "Export…", &[], ("File", 2), Action::Do(&Operation {
        id: "export",
        is_enabled: State::can_save,
        run: |state| state.effects.push(Effect::AskPath(PathPurpose::Export)),
    }),
        "Save the open file for other programs: as glTF with its clips, as a Tiled map, or as a table"),
    command("save-map", "Save whole map…", &[ctrl_shift(Key::S)], ("File", 2), Action::SaveMap,
        "Save all of a 2D map as a PNG file at 1:1"),
    command("add-texture-folder", "Add texture folder…", &[], ("Settings", 0), Action::AddTextureFolder,
        "Add a folder to search for textures; it is remembered"),
    command("texture-folders", "Texture folders…", &[], ("Settings", 0), Action::TextureFolders,
        "List the folders that are searched for textures, and remove some"),
    command("editor", "Editor…", &[], ("Settings", 0), Action::Do(&Operation {
        id: "editor",
        is_enabled: |_| true,
        run: State::ask_for_editor,
    }),
        "Choose the editor that opens files at a line"),
    command("close", "Close", &[ctrl(Key::W)], ("File", 3), Action::Close,
        "Close the file and show the start page"),
    command("quit", "Quit", &[ctrl(Key::Q)], ("File", 3), Action::Quit,
        "Quit the program"),

    command("level.next", "Next level", &[shift(Key::PageDown)], ("View", 1), Action::Level { backwards: false },
        "Show the next level"),
    command("level.previous", "Previous level", &[shift(Key::PageUp)], ("View", 1), Action::Level { backwards: true },
        "Show the previous level"),
    command("view.cut", "Cut view", &[key(Key::X)], ("View", 1), Action::Cut,
        "Turn cutting on or off: sliders below the view cut the level open along X, Y and Z"),
    command("view.mini-map", "Show mini map", &[shift(Key::M)], ("View", 1), Action::MiniMap,
        "Show or hide a small image of the whole map in a corner of the view, with the visible part"),
    command("view.rulers", "Show rulers", &[], ("View", 1), Action::Rulers,
        "Show or hide columns and rows at the edges of a flat view or a view from the top"),
    command("view.split", "Second view", &[key(Key::F4)], ("View", 4), Action::Do(&Operation {
        id: "split",
        is_enabled: |state| state.session.document().is_some(),
        run: State::toggle_split,
    }),
        "Show or hide a second view: of the compared version or file, or else another camera"),
    command("view.link", "Link views", &[], ("View", 4), Action::Do(&Operation {
        id: "link-views",
        is_enabled: |state| state.split.is_some(),
        run: |state| state.change_split(|split| split.is_linked = !split.is_linked),
    }),
        "Give both views the same camera, selection, display and moment, or let them be free"),
    command("view.wipe", "Wipe between views", &[shift(Key::F4)], ("View", 4), Action::Do(&Operation {
        id: "wipe",
        is_enabled: |state| state.split.is_some(),
        run: |state| state.change_split(Split::toggle_wipe),
    }),
        "Show both views in the same place, with a border to drag, or side by side"),
    command("view.blink", "Blink", &[key(Key::F7)], ("View", 4), Action::Do(&Operation {
        id: "blink",
        is_enabled: |state| state.split.is_some(),
        run: |state| state.change_split(|split| split.blinks = true),
    }),
        "While the key is held, show the second view in place of the first one"),
    command("view.swap", "Swap views", &[], ("View", 4), Action::Do(&Operation {
        id: "swap-views",
        is_enabled: |state| state.split.is_some(),
        run: |state| state.change_split(|split| split.is_swapped = !split.is_swapped),
    }),
        "Let both views change places"),
    command("view.measure", "Measure", &[key(Key::Y)], ("View", 1), Action::Measure,
        "Turn measuring on or off: drag from one point to another to see their distance"),
    command("scale.larger", "Enlarge text", &[ctrl(Key::Plus), ctrl(Key::Equals)], ("View", 2), Action::Scale(ScaleChange::Larger),
        "Make text and buttons larger"),
    command("scale.smaller", "Shrink text", &[ctrl(Key::Minus)], ("View", 2), Action::Scale(ScaleChange::Smaller),
        "Make text and buttons smaller"),
    command("scale.reset", "Reset text size", &[ctrl(Key::Num0)], ("View", 2), Action::Scale(ScaleChange::Reset),
        "Give text and buttons their normal size"),
    command("theme.dark", "Use dark theme", &[], ("Settings", 3), Action::Setting(Setting::Theme(ThemeChoice::Dark)),
        "Show light text on a dark background"),
    command("theme.light", "Use light theme", &[], ("Settings", 3), Action::Setting(Setting::Theme(ThemeChoice::Light)),
        "Show dark text on a light background"),
    command("theme.system", "Use the system's theme", &[], ("Settings", 3), Action::Setting(Setting::Theme(ThemeChoice::System)),
        "Follow the dark or light theme of the system, or use the dark theme if it has none"),
    command("focus.next", "Focus next panel", &[key(Key::F6)], ("View", 2), Action::Do(&Operation {
        id: "focus-next",
        is_enabled: |_| true,
        run: |state| state.interface.focus_move = Some(FocusMove::Next),
    }),
        "Move the keyboard focus to the next part of the window: menus, panels, timeline, view"),
    command("focus.previous", "Focus previous panel", &[shift(Key::F6)], ("View", 2), Action::Do(&Operation {
        id: "focus-previous",
        is_enabled: |_| true,
        run: |state| state.interface.focus_move = Some(FocusMove::Previous),
    }),
        "Move the keyboard focus to the previous part of the window"),
    command("full-screen", "Toggle full screen", &[key(Key::F11)], ("View", 3), Action::FullScreen,
        "Enter or leave full screen"),

    command("camera.frame-selection", "Frame selection", &[key(Key::F)], ("Camera", 0), Action::FrameSelection,
        "Move the camera so that the selection fills the view"),
    command("camera.frame-all", "Frame all", &[shift(Key::F), key(Key::Home), key(Key::F)], ("Camera", 0), Action::FrameAll,
        "Move the camera so that everything is in view"),
    command("camera.back", "Previous view", &[ctrl(Key::Z)], ("Camera", 0), Action::Do(&Operation {
        id: "previous-view",
        is_enabled: |state| state.session.view.has_view(true),
        run: |state| state.session.restore_view(true),
    }),
        "Return to the previous view and selection"),
    command("camera.forward", "Next view", &[ctrl_shift(Key::Z)], ("Camera", 0), Action::Do(&Operation {
        id: "next-view",
        is_enabled: |state| state.session.view.has_view(false),
        run: |state| state.session.restore_view(false),
    }),
        "Return to the view and selection from before going back"),
    command("bookmark.add", "Add bookmark", &[ctrl(Key::B)], ("Camera", 5), Action::Do(&Operation {
        id: "add-bookmark",
        is_enabled: State::can_have_bookmarks,
        run: State::add_bookmark,
    }),
        "Remember the view and the selection for this file, under the first free number"),
    command("bookmark.edit", "Bookmarks…", &[ctrl_shift(Key::B)], ("Camera", 5), Action::Do(&Operation {
        id: "edit-bookmarks",
        is_enabled: State::can_have_bookmarks,
        run: |state| state.interface.dialog = Some(Dialog::Bookmarks),
    }),
        "List the bookmarks of the file, and name, replace or remove them"),
    command("bookmark.pins", "Show bookmarks", &[], ("View", 1), Action::Setting(Setting::BookmarkPins),
        "Show or hide a numbered pin at the place of each bookmark"),
    command("bookmark.last-view", "Open files in their last view", &[], ("Settings", 4), Action::LastView,
        "Open a file in the view and with the panels in which it was closed"),
    command("camera.zoom-in", "Zoom in", &[key(Key::Plus), key(Key::Equals)], ("Camera", 0), Action::Zoom { nearer: true },
        "Move closer to the centre of the view"),
    command("camera.zoom-out", "Zoom out", &[key(Key::Minus)], ("Camera", 0), Action::Zoom { nearer: false },
        "Move away from the centre of the view"),
    command("camera.actual-size", "Zoom to 1:1", &[key(Key::T)], ("Camera", 0), Action::ActualSize,
        "Show each pixel of the map as one pixel of the screen"),
    command("camera.iso", "Isometric view", &[key(Key::Num1)], ("Camera", 1), Action::View(NamedView::Iso),
        "Look down at an angle from a corner"),
    command("camera.top", "View from the top", &[key(Key::Num2)], ("Camera", 1), Action::View(NamedView::Top),
        "Look straight down, north up"),
    command("camera.north", "View from the north", &[key(Key::Num3)], ("Camera", 1), Action::View(NamedView::North),
        "Look from the north toward the south"),
    command("camera.south", "View from the south", &[key(Key::Num4)], ("Camera", 1), Action::View(NamedView::South),
        "Look from the south toward the north"),
    command("camera.east", "View from the east", &[key(Key::Num5)], ("Camera", 1), Action::View(NamedView::East),
        "Look from the east toward the west"),
    command("camera.west", "View from the west", &[key(Key::Num6)], ("Camera", 1), Action::View(NamedView::West),
        "Look from the west toward the east"),
    command("camera.flat", "Toggle flat view", &[key(Key::G)], ("Camera", 2), Action::Flat,
        "Show a 2D map flat, like its game, or in 3D with its layers pulled apart"),
    command("camera.orthographic", "Toggle orthographic projection", &[key(Key::P)], ("Camera", 2), Action::Orthographic,
        "Switch between perspective and orthographic projection"),
    command("camera.game", "Game view", &[key(Key::G)], ("Camera", 2), Action::GameView,
        "Look down from the height of the game's camera; in a level, walk at the player's eye height"),
    command("camera.fly", "Fly", &[key(Key::V)], ("Camera", 2), Action::Fly,
        "Turn flying on or off: move with W A S D, Q and E, and drag to look around"),
    command("camera.look-through", "Look through camera", &[shift(Key::V)], ("Camera", 2), Action::Do(&Operation {
        id: "look-through",
        is_enabled: |state| state.session.view.shown.selected.is_some_and(|item| state.session.is_camera(item)),
        run: |state| {
            if let Some(item) = state.session.view.shown.selected {
                state.session.look_through(item);
            }
        },
    }),
        "Show the view of the selected camera of a scene"),
    command("camera.wider", "Widen field of view", &[alt(Key::ArrowUp)], ("Camera", 3), Action::FieldOfView(ScaleChange::Larger),
        "Widen the vertical field of view, up to 110 degrees"),
    command("camera.narrower", "Narrow field of view", &[alt(Key::ArrowDown)], ("Camera", 3), Action::FieldOfView(ScaleChange::Smaller),
        "Narrow the vertical field of view, down to 30 degrees"),
    command("camera.usual-field", "Reset field of view", &[], ("Camera", 3), Action::FieldOfView(ScaleChange::Reset),
        "Reset the vertical field of view to 45 degrees, or to 70 while walking in a level"),
    command("camera.copy", "Copy camera", &[ctrl_shift(Key::C)], ("Camera", 4), Action::Do(&Operation {
        id: "copy-camera",
        is_enabled: |state| state.session.document().is_some(),
        run: |state| {
            let pose = state.session.view.camera.pose.to_string();
            state.effects.push(Effect::Copy(pose));
            state.notices.toast("Camera copied", None);
        },
    }),
        "Copy eye and target as text, in the format of --camera"),
    command("camera.paste", "Paste camera", &[ctrl_shift(Key::V)], ("Camera", 4), Action::Do(&Operation {
        id: "paste-camera",
        is_enabled: |state| state.session.document().is_some(),
        run: |state| state.effects.push(Effect::PastePose),
    }),
        "Move the camera to the eye and target in the clipboard"),
    command("navigation.mapscope", "Use Mapscope navigation", &[], ("Settings", 1), Action::Setting(Setting::Navigation(Preset::Mapscope)),
        "Orbit with a left drag, and move the view with a right or middle drag"),
    command("navigation.blender", "Use Blender navigation", &[], ("Settings", 1), Action::Setting(Setting::Navigation(Preset::Blender)),
        "Orbit with a middle drag, and move the view with Shift and a middle drag"),
    command("navigation.trenchbroom", "Use TrenchBroom navigation", &[], ("Settings", 1), Action::Setting(Setting::Navigation(Preset::TrenchBroom)),
        "Look around with a right drag, and move the view with a middle drag"),
    command("navigation.reverse-wheel", "Reverse wheel", &[], ("Settings", 2), Action::Setting(Setting::ReversesWheel),
        "Zoom in the opposite direction of the wheel"),
    command("navigation.reverse-drag", "Reverse drags", &[], ("Settings", 2), Action::Setting(Setting::ReversesDrag),
        "Move and turn the view in the opposite direction of a drag"),

    command("select.clear", "Deselect", &[key(Key::Escape)], ("Select", 0), Action::Clear,
        "Cancel loading, close a dialog or notice, leave a mode, or clear the selection"),
    command("select.go-to", "Go to…", &[ctrl(Key::G)], ("Select", 0), Action::Do(&Operation {
        id: "go-to",
        is_enabled: |state| state.session.document().is_some(),
        run: State::ask_for_place,
    }),
        "Type a row and a column, a position, a line, an item or a message, and go there"),
    command("find", "Find…", &[ctrl(Key::F)], ("Select", 0), Action::Do(&Operation {
        id: "find",
        is_enabled: |state| state.session.offers(Panel::Find) && !state.interface.full_screen,
        run: |state| {
            state.show_panel(Panel::Find);
            state.interface.focus_move = Some(FocusMove::Query);
        },
    }),
        "Find items by their fields, such as `ramp_height > 1 and not pathable`"),
    command("find.next", "Next match", &[key(Key::F3)], ("Select", 2), Action::Do(&Operation {
        id: "next-match",
        is_enabled: |state| state.session.tools.finding.matches().is_some(),
        run: |state| state.session.next_match(false),
    }),
        "Select and show the next item that matches the query"),
    command("find.previous", "Previous match", &[shift(Key::F3)], ("Select", 2), Action::Do(&Operation {
        id: "previous-match",
        is_enabled: |state| state.session.tools.finding.matches().is_some(),
        run: |state| state.session.next_match(true),
    }),
        "Select and show the previous item that matches the query"),
    command("find.copy-command", "Copy query as command", &[], ("Select", 2), Action::Do(&Operation {
        id: "copy-query",
        is_enabled: |state| state.session.tools.finding.matches().is_some(),
        run: State::copy_query,
    }),
        "Copy a command line that finds the same items"),
    command("select.find", "Find in outliner", &[ctrl_shift(Key::F)], ("Select", 0), Action::Do(&Operation {
        id: "find-in-outliner",
        is_enabled: |state| state.session.document().is_some() && !state.interface.full_screen,
        run: |state| {
            state.show_panel(Panel::Outliner);
            state.interface.focus_move = Some(FocusMove::Search);
        },
    }),
        "Filter the outliner by part of a name"),
    command("select.open", "Open file of selection", &[ctrl(Key::Enter)], ("Select", 0), Action::Do(&Operation {
        id: "open-file-of-selection",
        is_enabled: |state| state.session.file_of_selection().is_some(),
        run: |state| {
            if let Some(selected) = state.session.view.shown.selected {
                state.open_file_of(selected);
            }
        },
    }),
        "Open the file of the selected item, such as the model of an entity"),
    command("select.edit", "Open in editor", &[ctrl(Key::J)], ("Select", 0), Action::Edit,
        "Open the file in your editor, at the line or byte of the selection"),
    command("select.north", "Select north neighbour", &[key(Key::ArrowUp)], ("Select", 1), Action::Walk(Direction::North),
        "Select the item north of the selection"),
    command("select.east", "Select east neighbour", &[key(Key::ArrowRight)], ("Select", 1), Action::Walk(Direction::East),
        "Select the item east of the selection"),
    command("select.south", "Select south neighbour", &[key(Key::ArrowDown)], ("Select", 1), Action::Walk(Direction::South),
        "Select the item south of the selection"),
    command("select.west", "Select west neighbour", &[key(Key::ArrowLeft)], ("Select", 1), Action::Walk(Direction::West),
        "Select the item west of the selection"),
    command("select.next", "Select next of its kind", &[key(Key::N)], ("Select", 2), Action::NextOfKind { backwards: false },
        "Select and show the next item of the same kind"),
    command("select.previous", "Select previous of its kind", &[shift(Key::N)], ("Select", 2), Action::NextOfKind { backwards: true },
        "Select and show the previous item of the same kind"),
    command("changes.next", "Next change", &[key(Key::F8)], ("Select", 2), Action::Do(&Operation {
        id: "next-change",
        is_enabled: |state| state.session.has_changes(),
        run: |state| state.session.next_change(false),
    }),
        "Select and show the next difference from the compared file or version"),
    command("changes.previous", "Previous change", &[shift(Key::F8)], ("Select", 2), Action::Do(&Operation {
        id: "previous-change",
        is_enabled: |state| state.session.has_changes(),
        run: |state| state.session.next_change(true),
    }),
        "Select and show the previous difference"),
    command("select.hide", "Hide selection", &[key(Key::H)], ("Select", 3), Action::HideSelection,
        "Hide the selected material, chunk, type, entity, faction or gamemode, or the material of the selected face"),
    command("select.show-all", "Show all hidden", &[alt(Key::H)], ("Select", 3), Action::ShowAll,
        "Show all hidden items again"),
    command("select.solo", "Solo", &[shift(Key::H)], ("Select", 3), Action::Solo,
        "Show the selected layer, chunk, material or light without the others, or all of them again"),

    command("animation.play", "Play", &[key(Key::Space)], ("Animation", 0), Action::Animation(Animation::Play),
        "Play or pause the clip"),
    command("animation.stop", "Stop", &[shift(Key::Space)], ("Animation", 0), Action::Animation(Animation::Stop),
        "Stop and go back to the beginning of the clip"),
    command("animation.previous-frame", "Previous frame", &[key(Key::Comma)], ("Animation", 1), Action::Animation(Animation::Step { backwards: true }),
        "Stop and go to the previous frame"),
    command("animation.next-frame", "Next frame", &[key(Key::Period)], ("Animation", 1), Action::Animation(Animation::Step { backwards: false }),
        "Stop and go to the next frame"),
    command("animation.first-frame", "First frame", &[key(Key::Home)], ("Animation", 1), Action::Animation(Animation::End { last: false }),
        "Go to the first frame of the range"),
    command("animation.last-frame", "Last frame", &[key(Key::End)], ("Animation", 1), Action::Animation(Animation::End { last: true }),
        "Go to the last frame of the range"),
    command("animation.previous-clip", "Previous clip", &[key(Key::OpenBracket)], ("Animation", 2), Action::Animation(Animation::Clip { backwards: true }),
        "Switch to the previous clip"),
    command("animation.next-clip", "Next clip", &[key(Key::CloseBracket)], ("Animation", 2), Action::Animation(Animation::Clip { backwards: false }),
        "Switch to the next clip"),
    command("animation.bind-pose", "Bind pose", &[key(Key::Num0)], ("Animation", 2), Action::Animation(Animation::BindPose),
        "Show the model in its bind pose, without a clip"),
    command("animation.once", "Play once", &[], ("Animation", 3), Action::Animation(Animation::Loop(LoopMode::Once)),
        "Play the clip once and stay at the last frame"),
    command("animation.loop", "Play in a loop", &[], ("Animation", 3), Action::Animation(Animation::Loop(LoopMode::Loop)),
        "Start again after the last frame, as the game does"),
    command("animation.ping-pong", "Play back and forth", &[], ("Animation", 3), Action::Animation(Animation::Loop(LoopMode::PingPong)),
        "Play forwards and backwards in turn"),
    command("animation.backwards", "Play backwards", &[], ("Animation", 4), Action::Animation(Animation::Backwards),
        "Play from the last frame to the first, or forwards again"),
    command("animation.smooth", "Smooth", &[key(Key::M)], ("Animation", 4), Action::Animation(Animation::Smooth),
        "Interpolate between frames; the game shows whole frames only"),
    command("animation.slower", "Play slower", &[alt(Key::Comma), key(Key::Minus)], ("Animation", 4), Action::Animation(Animation::Speed { faster: false }),
        "Play more slowly, down to a twentieth"),
    command("animation.faster", "Play faster", &[alt(Key::Period), key(Key::Plus), key(Key::Equals)], ("Animation", 4), Action::Animation(Animation::Speed { faster: true }),
        "Play faster, up to four times"),
    command("animation.range-start", "Set range start", &[key(Key::I)], ("Animation", 5), Action::Animation(Animation::Range { last: false }),
        "Start playback at this frame"),
    command("animation.range-end", "Set range end", &[key(Key::O)], ("Animation", 5), Action::Animation(Animation::Range { last: true }),
        "End playback at this frame"),
    command("animation.whole-range", "Reset range", &[], ("Animation", 5), Action::Animation(Animation::WholeRange),
        "Play all frames of the clip again"),
    command("animation.timeline", "Show timeline", &[ctrl(Key::T)], ("Animation", 6), Action::Animation(Animation::Timeline),
        "Show or hide the timeline of files with clips"),
    command("animation.attach", "Attach model…", &[], ("Animation", 7), Action::Do(&Operation {
        id: "attach",
        is_enabled: |state| state.session.selected_joint().is_some(),
        run: |state| state.effects.push(Effect::AskPath(PathPurpose::Attach)),
    }),
        "Choose models, such as a sword, and attach them to the selected joint; dropping them does it too"),
    command("animation.detach", "Detach models", &[], ("Animation", 7), Action::Do(&Operation {
        id: "detach",
        is_enabled: |state| state.session.can_detach(),
        run: State::detach,
    }),
        "Detach the models of the selected joint, or all of them without a selected joint"),

    command("overlay.none", "Clear surface overlay", &[alt(Key::Num0)], ("Overlays", 0), Action::PlainSurface,
        "Switch off every overlay that colours the surface"),
    command("overlay.selected-weights", "Show weights of the selected joint", &[shift(Key::J)], ("Overlays", 3), Action::SelectedWeights,
        "Colour the surface by the weights of the selected joint"),
    command("view.shadows", "Shadows", &[], ("Overlays", 4), Action::Surroundings(Surroundings::Shadows),
        "Show or hide the shadows of a map and its entities"),
    command("view.hold-visibility", "Hold visibility", &[], ("Overlays", 9), Action::HoldVisibility,
        "Keep the visibility from the current eye position while the camera moves"),

    command("palette", "Find a command…", &[ctrl(Key::P)], ("Help", 0), Action::Palette,
        "Type part of a command's name to run it"),
    command("cheat-sheet", "Show keys and pointer", &[key(Key::F1)], ("Help", 0), Action::CheatSheet,
        "List all keys with their commands, and show which options are on"),
    command("keys.edit", "Keys…", &[], ("Settings", 0), Action::EditKeys,
        "Search commands by name or key, and change their keys"),
    command("demo.hamlet", "Hamlet demo", &[], ("Help", 1), Action::OpenDemo(&demo::HAMLET),
        "Open a scene: a market with its people, cottages, a chapel and a mill"),
    command("demo.terrain", "Terrain demo", &[], ("Help", 1), Action::OpenDemo(&demo::TERRAIN),
        "Open the map that comes with the program"),
    command("demo.bathhouse", "Bath house demo", &[], ("Help", 1), Action::OpenDemo(&demo::BATHHOUSE),
        "Open a level with a pool, coloured light and lamps to switch"),
    command("demo.village", "Village demo", &[], ("Help", 1), Action::OpenDemo(&demo::VILLAGE),
        "Open a 2D map of ika: a harbour with moving water, people and zones"),
    command("demo.station", "Space station demo", &[], ("Help", 1), Action::OpenDemo(&demo::STATION),
        "Open a 2D map of PixelPerfectEngine: rooms with coloured light and a starry sky"),
    command("demo.drakeling", "Drakeling demo", &[], ("Help", 1), Action::OpenDemo(&demo::DRAKELING),
        "Open a young dragon that idles, walks and jumps"),
    command("demo.blossom-tree", "Blossom tree demo", &[], ("Help", 1), Action::OpenDemo(&demo::BLOSSOM_TREE),
        "Open a tree whose leaves have holes"),
    command("demo.lantern", "Lantern demo", &[], ("Help", 1), Action::OpenDemo(&demo::LANTERN),
        "Open a lantern that glows"),
    command("demo.toadstools", "Toadstools demo", &[], ("Help", 1), Action::OpenDemo(&demo::TOADSTOOLS),
        "Open a group of toadstools"),
    command("demo.boulders", "Boulders demo", &[], ("Help", 1), Action::OpenDemo(&demo::BOULDERS),
        "Open three mossy boulders"),
    command("demo.barrel", "Barrel demo", &[], ("Help", 1), Action::OpenDemo(&demo::BARREL),
        "Open a barrel"),
    command("about", "About Mapscope", &[], ("Help", 2), Action::About,
        "Version, licence and graphics adapter"),
];

/// Menu groups and keys of overlays. An overlay without a row has no key. It belongs to the first
/// group if it colours the surface, and else to the second.
#[rustfmt::skip]
static OVERLAY_KEYS: &[(OverlayId, u8, KeyboardShortcut)] = &[
    (OverlayId::TileTypes, 0, alt(Key::Num1)),
    (OverlayId::Pathable, 0, alt(Key::Num2)),
    (OverlayId::Height, 0, alt(Key::Num3)),
    (OverlayId::Cover, 0, alt(Key::Num9)),
    (OverlayId::Lightmap, 0, alt(Key::Num1)),
    (OverlayId::MaterialColors, 0, alt(Key::Num2)),
    (OverlayId::OctreeDepth, 0, alt(Key::Num3)),
    (OverlayId::CubeTypes, 0, alt(Key::Num6)),
    (OverlayId::Normals, 0, alt(Key::Num4)),
    (OverlayId::Unlit, 0, alt(Key::Num5)),
    (OverlayId::Obstruction, 0, alt(Key::Num1)),
    (OverlayId::Zones, 0, alt(Key::Num2)),
    (OverlayId::Logic, 0, alt(Key::Num3)),
    (OverlayId::TileGrid, 1, alt(Key::Num6)),
    (OverlayId::Grid, 1, alt(Key::Num6)),
    (OverlayId::PixelGrid, 1, alt(Key::Num7)),
    (OverlayId::LayerFrames, 1, alt(Key::Num8)),
    (OverlayId::Still, 1, alt(Key::Num9)),
    (OverlayId::ChunkBorders, 1, alt(Key::Num7)),
    (OverlayId::Wireframe, 1, alt(Key::Num8)),
    (OverlayId::UvChecker, 2, key(Key::U)),
    (OverlayId::BackFaces, 2, key(Key::B)),
    (OverlayId::JointWeights, 2, key(Key::H)),
    (OverlayId::TwoSided, 3, key(Key::T)),
    (OverlayId::EngineTextures, 3, shift(Key::T)),
    (OverlayId::Skeleton, 4, key(Key::K)),
    (OverlayId::JointNames, 4, key(Key::J)),
    (OverlayId::JointPaths, 4, shift(Key::L)),
    (OverlayId::OnionSkin, 4, shift(Key::U)),
    (OverlayId::NormalLines, 4, key(Key::L)),
    (OverlayId::FrameBounds, 5, key(Key::X)),
    (OverlayId::BindBounds, 5, shift(Key::X)),
    (OverlayId::GroundTile, 6, shift(Key::G)),
    (OverlayId::HeightScale, 6, shift(Key::H)),
    (OverlayId::Cells, 7, key(Key::C)),
    (OverlayId::Colliders, 7, shift(Key::C)),
    (OverlayId::Environments, 7, shift(Key::I)),
    (OverlayId::ServerRegions, 7, shift(Key::R)),
    (OverlayId::Paths, 7, shift(Key::P)),
    (OverlayId::Entities, 7, shift(Key::K)),
    (OverlayId::LightProbes, 8, key(Key::L)),
    (OverlayId::Visibility, 8, alt(Key::Num9)),
];

/// All commands, in the order of the menus.
pub fn all() -> &'static [Command] {
    static ALL: LazyLock<Vec<Command>> = LazyLock::new(|| {
        let panels = Panel::ALL.iter().map(|panel| of_panel(*panel));
        let mut overlays: Vec<&Overlay> = Vec::new();
        for overlay in mapscope_scene::overlays() {
            if !overlays.iter().any(|known| known.id == overlay.id) {
                overlays.push(overlay);
            }
        }
        overlays.sort_by_key(|overlay| key_index(overlay.id).unwrap_or(OVERLAY_KEYS.len()));
        let overlays = overlays.into_iter().map(of_overlay);
        let bookmarks = BOOKMARK_KEYS.iter().zip(1..).map(of_bookmark);
        let mut all: Vec<Command> = TABLE
            .iter()
            .copied()
            .chain(panels)
            .chain(overlays)
            .chain(bookmarks)
            .collect();
        all.sort_by_key(|command| {
            let menu = MENUS.iter().position(|menu| *menu == command.menu.title);
            (menu, command.menu.group)
        });
        all
    });
    &ALL
}

/// Keys of the bookmarks, by number from 1.
static BOOKMARK_KEYS: [KeyboardShortcut; MAX_BOOKMARKS as usize] = [
    shift(Key::Num1),
    shift(Key::Num2),
    shift(Key::Num3),
    shift(Key::Num4),
    shift(Key::Num5),
    shift(Key::Num6),
    shift(Key::Num7),
    shift(Key::Num8),
    shift(Key::Num9),
];

fn of_bookmark((key, number): (&'static KeyboardShortcut, u8)) -> Command {
    Command {
        id: format!("bookmark.{number}").leak(),
        name: format!("Bookmark {number}").leak(),
        default_keys: slice::from_ref(key),
        menu: MenuPlace {
            title: "Camera",
            group: 5,
        },
        help: "Return to the view and selection of the bookmark",
        action: Action::Bookmark(number),
    }
}

fn of_panel(panel: Panel) -> Command {
    Command {
        id: format!("panel.{}", panel.id()).leak(),
        name: panel.name(),
        default_keys: vec![ctrl(panel.key())].leak(),
        menu: MenuPlace {
            title: "View",
            group: 0,
        },
        help: panel.help(),
        action: Action::Panel(panel),
    }
}

/// Index of an overlay in [`OVERLAY_KEYS`], if it is listed there.
fn key_index(id: OverlayId) -> Option<usize> {
    OVERLAY_KEYS.iter().position(|(of, ..)| *of == id)
}

fn of_overlay(overlay: &Overlay) -> Command {
    let row = key_index(overlay.id).and_then(|place| OVERLAY_KEYS.get(place));
    let (group, keys) = match row {
        Some((_, group, key)) => (*group, slice::from_ref(key)),
        None => (u8::from(!overlay.colors_surface), &[][..]),
    };
    Command {
        id: format!("overlay.{}", overlay.id).leak(),
        name: overlay.name,
        default_keys: keys,
        menu: MenuPlace {
            title: "Overlays",
            group,
        },
        help: overlay.help,
        action: Action::Overlay(overlay.id),
    }
}

/// The command with an id, if any.
pub fn find(id: &str) -> Option<&'static Command> {
    all().iter().find(|command| command.id == id)
}

/// The command with an action, if any.
pub fn of(action: Action) -> Option<&'static Command> {
    all().iter().find(|command| command.action == action)
}

impl Command {
    /// Its keys, by priority: those of the settings, or else the default keys.
    pub(crate) fn keys<'a>(&'a self, keymap: &'a Keymap) -> &'a [KeyboardShortcut] {
        keymap.get(self.id).unwrap_or(self.default_keys)
    }

    /// Display texts of all its keys, by priority.
    pub(crate) fn key_texts<'a>(&'a self, keymap: &'a Keymap) -> impl Iterator<Item = String> + 'a {
        self.keys(keymap).iter().copied().map(key_text)
    }

    /// Display text of its first key. Empty if it has no key.
    pub(crate) fn first_key_text(&self, keymap: &Keymap) -> String {
        self.key_texts(keymap).next().unwrap_or_default()
    }

    /// Its help and its first key.
    pub(super) fn help_and_key(&self, keymap: &Keymap) -> String {
        with_key(self.help, &self.first_key_text(keymap))
    }
}

/// Adds a key to a text, if there is one.
pub(crate) fn with_key(text: &str, key: &str) -> String {
    if key.is_empty() {
        text.to_owned()
    } else {
        format!("{text} ({key})")
    }
}

/// Display text of the first key of the command with an id. Empty if it has no key.
pub(crate) fn key_of(id: &str, keymap: &Keymap) -> String {
    find(id).map_or_else(String::new, |command| command.first_key_text(keymap))
}

/// The command of a pressed key, if any.
///
/// Commands may share a key. The enabled command that lists the key first wins.
///
/// Letters match the character of the key. Digits also match its position, since some keyboards
/// need Shift for digits.
pub fn pressed(
    key: Key,
    physical_key: Option<Key>,
    modifiers: Modifiers,
    keymap: &Keymap,
    is_enabled: impl Fn(Action) -> bool,
) -> Option<&'static Command> {
    let match_key = |shortcut: &KeyboardShortcut| {
        let expected = shortcut.logical_key;
        let digit = (Key::Num0..=Key::Num9).contains(&expected);
        // `+` may itself need Shift.
        let modifiers_match = if expected == Key::Plus {
            modifiers.matches_logically(shortcut.modifiers)
        } else {
            modifiers.matches_exact(shortcut.modifiers)
        };
        // A digit by position takes precedence over the character of the key.
        let by_place = digit && physical_key == Some(expected);
        (modifiers_match && (by_place || key == expected)).then_some(!by_place)
    };
    let candidates = all().iter().filter_map(|command| {
        let keys = command.keys(keymap).iter().map(match_key).enumerate();
        let (place, by_letter) = keys
            .filter_map(|(place, matched)| Some((place, matched?)))
            .min()?;
        Some(((!is_enabled(command.action), place, by_letter), command))
    });
    let best = candidates.min_by_key(|(rank, _)| *rank);
    best.map(|(_, command)| command)
}

/// Ids of the most important commands, whose keys the README lists.
const FIRST_KEYS: [&str; 12] = [
    "open",
    "camera.frame-selection",
    "select.go-to",
    "find",
    "camera.game",
    "camera.fly",
    "view.cut",
    "animation.play",
    "select.hide",
    "save-picture",
    "palette",
    "cheat-sheet",
];

/// The table of the default keys in the README, in Markdown.
pub fn first_keys() -> String {
    let defaults = Keymap::default();
    let mut table = String::from("| Key | Does |\n|---|---|\n");
    let commands = FIRST_KEYS
        .into_iter()
        .filter_map(|id| all().iter().find(|command| command.id == id));
    for command in commands {
        let (key, help) = (command.first_key_text(&defaults), command.help);
        table.extend(["| `", &key, "` | ", help, " |\n"]);
    }
    table
}

/// The tables of the documentation page of keys, in Markdown: one per menu, and one for the
/// pointer.
pub fn key_tables() -> String {
    let defaults = Keymap::default();
    let mut tables = String::new();
    for menu in MENUS {
        tables.extend([
            "## ",
            menu,
            "\n\n| Key | Command | Id | Does |\n|---|---|---|---|\n",
        ]);
        for command in all().iter().filter(|c| c.menu.title == menu) {
            let keys = command.key_texts(&defaults).map(|k| format!("`{k}`"));
            let keys = keys.collect::<Vec<_>>().join(" ");
            tables.extend([
                "| ",
                &keys,
                " | ",
                command.name,
                " | `",
                command.id,
                "` | ",
                command.help,
                " |\n",
            ]);
        }
        tables.push('\n');
    }
    let mut add = |title: &str, gestures: &mut dyn Iterator<Item = PointerGesture>| {
        tables.extend([title, "\n\n| Pointer | Does |\n|---|---|\n"]);
        for (gesture, help) in gestures {
            tables.extend(["| ", &gesture, " | ", help, " |\n"]);
        }
    };
    let mut all = pointer_gestures(Preset::default());
    add("## Pointer in the view", &mut all);
    for preset in Preset::ALL.into_iter().skip(1) {
        let title = format!("\n### Drags with {} navigation", preset.name());
        add(&title, &mut drags(preset));
    }
    tables
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::viewer::keymap::parse_key;

    #[test]
    fn names_and_actions_are_each_used_once() {
        let mut ids = HashSet::new();
        for (index, command) in all().iter().enumerate() {
            assert!(ids.insert(command.id), "{} stands twice", command.id);
            let same = |c: &Command| c.action == command.action;
            assert!(!all()[..index].iter().any(same), "{}", command.id);
            assert!(MENUS.contains(&command.menu.title), "{}", command.id);
            assert!(
                !command.help.is_empty() && !command.help.ends_with('.'),
                "{}",
                command.id
            );
        }
    }

    #[test]
    fn a_menu_keeps_the_commands_of_a_group_together() {
        for menu in MENUS {
            let groups: Vec<u8> = all()
                .iter()
                .filter(|c| c.menu.title == menu)
                .map(|c| c.menu.group)
                .collect();
            assert!(
                !groups.is_empty() && groups.is_sorted(),
                "{menu}: {groups:?}"
            );
        }
    }

    #[test]
    fn every_default_key_may_be_bound_and_parses_back() {
        for command in all() {
            for key in command.default_keys {
                assert_eq!(parse_key(&key_text(*key)), Ok(*key), "{}", command.id);
            }
        }
    }

    #[test]
    fn changed_keys_replace_the_default_keys() {
        let json = r#"{"open": ["F2", "Alt+O"], "quit": []}"#;
        let keymap: Keymap = serde_json::from_str(json).unwrap();
        let id = |key, modifiers| {
            pressed(key, None, modifiers, &keymap, |_| true).map(|command| command.id)
        };
        assert_eq!(id(Key::F2, Modifiers::NONE), Some("open"));
        assert_eq!(id(Key::O, Modifiers::ALT), Some("open"));
        assert_eq!(id(Key::O, Modifiers::COMMAND), None);
        assert_eq!(id(Key::Q, Modifiers::COMMAND), None);
        assert_eq!(id(Key::F5, Modifiers::NONE), Some("reload"));
        let open = find("open").unwrap();
        assert_eq!(open.help_and_key(&keymap), "Choose a file and open it (F2)");
        let quit = find("quit").unwrap();
        assert_eq!(quit.help_and_key(&keymap), "Quit the program");
    }

    #[test]
    fn keys_find_their_commands_on_any_keyboard() {
        let id = |key, physical, modifiers| {
            pressed(key, physical, modifiers, &Keymap::default(), |_| true)
                .map(|command| command.id)
        };
        assert_eq!(
            id(Key::F, Some(Key::F), Modifiers::NONE),
            Some("camera.frame-selection")
        );
        assert_eq!(id(Key::F, Some(Key::F), Modifiers::COMMAND), Some("find"));
        assert_eq!(id(Key::F, Some(Key::F), Modifiers::ALT), None);
        // The digit row of a French keyboard has `-` in place of 6.
        assert_eq!(
            id(Key::Minus, Some(Key::Num6), Modifiers::NONE),
            Some("camera.west")
        );
        assert_eq!(
            id(Key::Plus, Some(Key::Equals), ctrl_shift(Key::A).modifiers),
            Some("scale.larger")
        );
        assert_eq!(id(Key::N, None, Modifiers::SHIFT), Some("select.previous"));
    }

    #[test]
    fn a_shared_key_is_for_the_command_that_wants_it_most_and_can_do_something() {
        let home = |is_enabled: fn(Action) -> bool| {
            pressed(
                Key::Home,
                None,
                Modifiers::NONE,
                &Keymap::default(),
                is_enabled,
            )
            .map(|command| command.id)
        };
        assert_eq!(home(|_| true), Some("animation.first-frame"));
        let still = |action| !matches!(action, Action::Animation(_));
        assert_eq!(home(still), Some("camera.frame-all"));
    }

    #[test]
    fn keys_are_written_as_they_are_called() {
        if !cfg!(target_os = "macos") {
            assert_eq!(key_text(ctrl_shift(Key::O)), "Ctrl+Shift+O");
        }
        assert_eq!(key_text(key(Key::PageDown)), "Page Down");
        assert_eq!(key_text(alt(Key::Num1)), "Alt+1");
    }
}
