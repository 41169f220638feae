//! The program's window from the user's side: pictures, pointer and keys.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use image::{Rgba, RgbaImage};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, CONFIGURE_NOTIFY_EVENT,
    ConfigureNotifyEvent, ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, EventMask,
    ImageFormat, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, Keycode, MOTION_NOTIFY_EVENT,
    MapState, PropMode, WindowClass,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use super::display::Display;

/// Delay between a move and the next input. The interface finds the widget below the pointer from
/// its last frame.
const INPUT_DELAY: Duration = Duration::from_millis(60);

/// The window of a program, from outside.
#[derive(Debug)]
pub(crate) struct Screen {
    connection: RustConnection,
    root: u32,
    window: u32,
}

/// A key, by its X keysym.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key(u32);

#[expect(
    dead_code,
    reason = "a complete keyboard, although tests do not use every key"
)]
impl Key {
    pub(crate) const ESCAPE: Self = Self(0xff1b);
    pub(crate) const RETURN: Self = Self(0xff0d);
    pub(crate) const TAB: Self = Self(0xff09);
    pub(crate) const BACKSPACE: Self = Self(0xff08);
    pub(crate) const HOME: Self = Self(0xff50);
    pub(crate) const END: Self = Self(0xff57);
    pub(crate) const SPACE: Self = Self(0x0020);
    pub(crate) const LEFT: Self = Self(0xff51);
    pub(crate) const UP: Self = Self(0xff52);
    pub(crate) const RIGHT: Self = Self(0xff53);
    pub(crate) const DOWN: Self = Self(0xff54);
    pub(crate) const PAGE_UP: Self = Self(0xff55);
    pub(crate) const PAGE_DOWN: Self = Self(0xff56);
    pub(crate) const INSERT: Self = Self(0xff63);
    pub(crate) const F1: Self = Self(0xffbe);
    pub(crate) const SHIFT: Self = Self(0xffe1);
    pub(crate) const CTRL: Self = Self(0xffe3);
    pub(crate) const ALT: Self = Self(0xffe9);
    pub(crate) const SUPER: Self = Self(0xffeb);

    /// The key of a lower-case letter, digit or punctuation mark of the US layout.
    pub(crate) const fn of(character: char) -> Self {
        Self(character as u32)
    }
}

/// A button of the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    dead_code,
    reason = "a complete mouse, although tests do not use every button"
)]
pub(crate) enum Button {
    Left = 1,
    Middle = 2,
    Right = 3,
    WheelUp = 4,
    WheelDown = 5,
}

impl Screen {
    /// Waits for the window of a process and gives it the keyboard focus, as a window manager
    /// would.
    pub(crate) fn of(display: &Display, pid: u32) -> Self {
        let (connection, number) = x11rb::connect(Some(display.name())).unwrap();
        let root = connection.setup().roots[number].root;
        let pid_atom = connection
            .intern_atom(false, b"_NET_WM_PID")
            .unwrap()
            .reply()
            .unwrap()
            .atom;
        let deadline = Instant::now() + Duration::from_secs(30);
        let window = loop {
            // Without a window manager, windows are direct children of the root.
            let tree = connection.query_tree(root).unwrap().reply().unwrap();
            let found = tree.children.iter().copied().find(|&window| {
                let owner = connection
                    .get_property(false, window, pid_atom, AtomEnum::CARDINAL, 0, 1)
                    .unwrap()
                    .reply();
                let shown = connection.get_window_attributes(window).unwrap().reply();
                // Windows come and go during the search.
                owner.is_ok_and(|o| o.value32().and_then(|mut v| v.next()) == Some(pid))
                    && shown.is_ok_and(|s| s.map_state == MapState::VIEWABLE)
            });
            if let Some(window) = found {
                break window;
            }
            assert!(Instant::now() < deadline, "process {pid} shows no window");
            sleep(Duration::from_millis(20));
        };
        let screen = Self {
            connection,
            root,
            window,
        };
        screen.focus();
        screen
    }

    /// Gives the window the keyboard focus.
    pub(crate) fn focus(&self) {
        self.give_keyboard(self.window);
    }

    /// Removes the keyboard focus, as if another window got it.
    pub(crate) fn unfocus(&self) {
        self.give_keyboard(self.root);
    }

    fn give_keyboard(&self, window: u32) {
        let given =
            self.connection
                .set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME);
        given.unwrap().check().unwrap();
    }

    /// The window's id.
    pub(crate) fn window(&self) -> u32 {
        self.window
    }

    /// Covers the window and everything else on the display. Returns the covering window, for
    /// [`Self::uncover`].
    pub(crate) fn cover(&self) -> u32 {
        let cover = self.connection.generate_id().unwrap();
        let look = CreateWindowAux::new()
            .override_redirect(1)
            .background_pixel(0);
        self.connection
            .create_window(
                x11rb::COPY_DEPTH_FROM_PARENT,
                cover,
                self.root,
                0,
                0,
                u16::MAX / 4,
                u16::MAX / 4,
                0,
                WindowClass::INPUT_OUTPUT,
                x11rb::COPY_FROM_PARENT,
                &look,
            )
            .unwrap()
            .check()
            .unwrap();
        self.connection.map_window(cover).unwrap().check().unwrap();
        cover
    }

    /// Removes a covering window.
    pub(crate) fn uncover(&self, cover: u32) {
        let gone = self.connection.destroy_window(cover).unwrap();
        gone.check().unwrap();
    }

    /// The window's title.
    pub(crate) fn title(&self) -> String {
        let title = self
            .connection
            .get_property(
                false,
                self.window,
                AtomEnum::WM_NAME,
                AtomEnum::ANY,
                0,
                1024,
            )
            .unwrap()
            .reply()
            .unwrap();
        String::from_utf8_lossy(&title.value).into_owned()
    }

    /// Width and height of the window in physical pixels.
    pub(crate) fn size(&self) -> [u16; 2] {
        let geometry = self
            .connection
            .get_geometry(self.window)
            .unwrap()
            .reply()
            .unwrap();
        [geometry.width, geometry.height]
    }

    /// Requests another size, as a drag of the window's corner does.
    pub(crate) fn resize(&self, [width, height]: [u32; 2]) {
        let size = ConfigureWindowAux::new().width(width).height(height);
        self.connection
            .configure_window(self.window, &size)
            .unwrap()
            .check()
            .unwrap();
    }

    /// Reports the window's position to the program, as a window manager does after moves and
    /// resizes (ICCCM 4.1.5).
    pub(crate) fn notify_position(&self) {
        let geometry = self.connection.get_geometry(self.window).unwrap();
        let geometry = geometry.reply().unwrap();
        let event = ConfigureNotifyEvent {
            response_type: CONFIGURE_NOTIFY_EVENT,
            sequence: 0,
            event: self.window,
            window: self.window,
            above_sibling: x11rb::NONE,
            x: geometry.x,
            y: geometry.y,
            width: geometry.width,
            height: geometry.height,
            border_width: geometry.border_width,
            override_redirect: false,
        };
        self.connection
            .send_event(false, self.window, EventMask::STRUCTURE_NOTIFY, event)
            .unwrap()
            .check()
            .unwrap();
    }

    /// The current picture of the window.
    pub(crate) fn picture(&self) -> RgbaImage {
        let [width, height] = self.size();
        let image = self
            .connection
            .get_image(ImageFormat::Z_PIXMAP, self.window, 0, 0, width, height, !0)
            .unwrap()
            .reply()
            .unwrap();
        let mut pixels = image.data;
        assert_eq!(pixels.len(), usize::from(width) * usize::from(height) * 4);
        for pixel in pixels.chunks_exact_mut(4) {
            pixel.swap(0, 2);
            pixel[3] = 255;
        }
        RgbaImage::from_raw(width.into(), height.into(), pixels).unwrap()
    }

    /// Saves a picture of the window in the build's temporary folder, for inspection, and returns
    /// it.
    pub(crate) fn save_picture(&self, name: &str) -> RgbaImage {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("window");
        std::fs::create_dir_all(&folder).unwrap();
        let picture = self.picture();
        picture.save(folder.join(format!("{name}.png"))).unwrap();
        picture
    }

    /// The content of the clipboard in this type, as read by another program.
    pub(crate) fn clipboard(&self, mime_type: &str) -> Vec<u8> {
        let atom = |name: &str| -> Atom {
            let asked = self.connection.intern_atom(false, name.as_bytes());
            asked.unwrap().reply().unwrap().atom
        };
        let (clipboard, wanted, answer) = (atom("CLIPBOARD"), atom(mime_type), atom("ANSWER"));
        let reader = self.connection.generate_id().unwrap();
        let made = self.connection.create_window(
            x11rb::COPY_DEPTH_FROM_PARENT,
            reader,
            self.root,
            0,
            0,
            1,
            1,
            0,
            WindowClass::INPUT_OUTPUT,
            x11rb::COPY_FROM_PARENT,
            &CreateWindowAux::new(),
        );
        made.unwrap().check().unwrap();
        self.connection
            .convert_selection(reader, clipboard, wanted, answer, x11rb::CURRENT_TIME)
            .unwrap()
            .check()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        let property = loop {
            if let Some(Event::SelectionNotify(said)) = self.connection.poll_for_event().unwrap() {
                break said.property;
            }
            assert!(Instant::now() < deadline, "nobody offers {mime_type}");
            sleep(Duration::from_millis(20));
        };
        assert_ne!(property, x11rb::NONE, "it is not offered as {mime_type}");
        let got = self
            .connection
            .get_property(true, reader, property, wanted, 0, u32::MAX / 4)
            .unwrap()
            .reply()
            .unwrap();
        got.value
    }

    /// Moves the pointer to a position in the window, in physical pixels.
    pub(crate) fn move_to(&self, [x, y]: [i32; 2]) {
        let origin = self
            .connection
            .translate_coordinates(self.window, self.root, 0, 0)
            .unwrap()
            .reply()
            .unwrap();
        let [x, y] = [i32::from(origin.dst_x) + x, i32::from(origin.dst_y) + y];
        self.input(MOTION_NOTIFY_EVENT, 0, [x as i16, y as i16]);
        sleep(INPUT_DELAY);
    }

    /// Presses and releases a button at the pointer's position.
    pub(crate) fn press(&self, button: Button) {
        self.input(BUTTON_PRESS_EVENT, button as u8, [0; 2]);
        sleep(INPUT_DELAY);
        self.input(BUTTON_RELEASE_EVENT, button as u8, [0; 2]);
        sleep(INPUT_DELAY);
    }

    /// Clicks at a position in the window.
    pub(crate) fn click(&self, at: [i32; 2]) {
        self.move_to(at);
        self.press(Button::Left);
    }

    /// Drags from one position in the window to another.
    pub(crate) fn drag(&self, button: Button, from: [i32; 2], to: [i32; 2]) {
        const STEPS: i32 = 6;
        self.move_to(from);
        self.input(BUTTON_PRESS_EVENT, button as u8, [0; 2]);
        sleep(INPUT_DELAY);
        for step in 1..=STEPS {
            self.move_to([0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * step / STEPS));
        }
        self.input(BUTTON_RELEASE_EVENT, button as u8, [0; 2]);
        sleep(INPUT_DELAY);
    }

    /// Presses keys together, modifiers first, and releases them.
    pub(crate) fn key(&self, keys: &[Key]) {
        let codes: Vec<Keycode> = keys.iter().map(|key| self.key_code(*key)).collect();
        for code in &codes {
            self.input(KEY_PRESS_EVENT, *code, [0; 2]);
        }
        for code in codes.iter().rev() {
            self.input(KEY_RELEASE_EVENT, *code, [0; 2]);
        }
        sleep(INPUT_DELAY);
    }

    /// Types lower-case letters and digits.
    pub(crate) fn type_text(&self, text: &str) {
        for character in text.chars() {
            self.key(&[Key::of(character)]);
        }
    }

    fn key_code(&self, Key(keysym): Key) -> Keycode {
        let (first, last) = (
            self.connection.setup().min_keycode,
            self.connection.setup().max_keycode,
        );
        let mapping = self
            .connection
            .get_keyboard_mapping(first, last - first + 1)
            .unwrap()
            .reply()
            .unwrap();
        let per_code = usize::from(mapping.keysyms_per_keycode);
        let index = mapping
            .keysyms
            .chunks(per_code)
            .position(|of_code| of_code[0] == keysym);
        first + index.unwrap_or_else(|| panic!("no key gives {keysym:#x}")) as u8
    }

    fn input(&self, event: u8, detail: u8, [x, y]: [i16; 2]) {
        self.connection
            .xtest_fake_input(event, detail, x11rb::CURRENT_TIME, self.root, x, y, 0)
            .unwrap()
            .check()
            .unwrap();
    }
}

/// Settings that a desktop publishes to all programs of a display (XSETTINGS).
#[derive(Debug)]
pub(crate) struct DesktopSettings {
    connection: RustConnection,
    window: u32,
    property: u32,
}

impl DesktopSettings {
    /// Becomes the settings manager. Programs look for it when they start.
    pub(crate) fn of(display: &Display) -> Self {
        let (connection, number) = x11rb::connect(Some(display.name())).unwrap();
        let root = connection.setup().roots[number].root;
        let atom = |name: String| {
            let asked = connection.intern_atom(false, name.as_bytes()).unwrap();
            asked.reply().unwrap().atom
        };
        let selection = atom(format!("_XSETTINGS_S{number}"));
        let property = atom("_XSETTINGS_SETTINGS".to_owned());
        let window = connection.generate_id().unwrap();
        let (unseen, class) = (CreateWindowAux::new(), WindowClass::INPUT_ONLY);
        connection
            .create_window(0, window, root, 0, 0, 1, 1, 0, class, 0, &unseen)
            .unwrap()
            .check()
            .unwrap();
        let owned = connection.set_selection_owner(window, selection, x11rb::CURRENT_TIME);
        owned.unwrap().check().unwrap();
        Self {
            connection,
            window,
            property,
        }
    }

    /// Changes the resolution in dots per inch.
    pub(crate) fn set_dots_per_inch(&self, dots: u32) {
        // Byte order 0, serial number 0, and one setting, an integer.
        let mut settings = vec![0; 8];
        settings.extend(1_u32.to_le_bytes());
        settings.extend([0, 0, 7, 0]);
        settings.extend(b"Xft/DPI\0");
        settings.extend(0_u32.to_le_bytes());
        settings.extend((dots * 1024).to_le_bytes());
        let changed = self.connection.change_property8(
            PropMode::REPLACE,
            self.window,
            self.property,
            self.property,
            &settings,
        );
        changed.unwrap().check().unwrap();
    }
}

/// Number of colours in a picture; an empty window has one.
pub(crate) fn count_colors(picture: &RgbaImage) -> usize {
    let mut colors: Vec<Rgba<u8>> = picture.pixels().copied().collect();
    colors.sort_unstable_by_key(|color| color.0);
    colors.dedup();
    colors.len()
}
