//! A Wayland compositor for one test, with a virtual pointer and keyboard.

use std::cell::{RefCell, RefMut};
use std::fs::Permissions;
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use mapscope_testdata::{Need, skip};
use serde_json::Value;
use tempfile::TempDir;
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_keyboard::KeymapFormat;
use wayland_client::protocol::wl_pointer::{Axis, ButtonState};
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::protocol::wl_seat::WlSeat;
use wayland_client::{Connection, Dispatch, EventQueue, QueueHandle, delegate_noop};
use wayland_protocols_misc::zwp_virtual_keyboard_v1::client::{
    zwp_virtual_keyboard_manager_v1::ZwpVirtualKeyboardManagerV1,
    zwp_virtual_keyboard_v1::ZwpVirtualKeyboardV1,
};
use wayland_protocols_wlr::virtual_pointer::v1::client::{
    zwlr_virtual_pointer_manager_v1::ZwlrVirtualPointerManagerV1,
    zwlr_virtual_pointer_v1::ZwlrVirtualPointerV1,
};

use super::peer::PEER;
use super::program::{Host, Program, Rect};

/// User for sway if root runs the tests, because sway refuses root.
const NOBODY: u32 = 65534;
/// Screen size in pixels.
const SCREEN_SIZE: [u32; 2] = [1600, 1000];
/// Side of the other program's square in a corner of the screen, in logical pixels.
const PEER_SIDE: u32 = 90;
/// As in the tests on X11: the delay between a move and the next input.
const INPUT_DELAY: Duration = Duration::from_millis(60);
/// A generous timeout for slow machines.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A running compositor with one screen, a pointer and a keyboard.
pub(crate) struct Sway {
    input_devices: RefCell<InputDevices>,
    server: Child,
    /// The compositor's `XDG_RUNTIME_DIR`.
    runtime: TempDir,
    home: TempDir,
}

/// A key, by its Linux input event code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key(u32);

impl Key {
    pub(crate) const CTRL: Self = Self(29);
    pub(crate) const SHIFT: Self = Self(42);
    pub(crate) const RETURN: Self = Self(28);
    pub(crate) const ESCAPE: Self = Self(1);
    pub(crate) const INSERT: Self = Self(110);
    pub(crate) const F11: Self = Self(87);
    pub(crate) const PAGE_DOWN: Self = Self(109);
    pub(crate) const TWO: Self = Self(3);
    pub(crate) const THREE: Self = Self(4);
    pub(crate) const C: Self = Self(46);
    pub(crate) const P: Self = Self(25);
    pub(crate) const Q: Self = Self(16);
    pub(crate) const V: Self = Self(47);

    /// Its modifier bits in the keymap.
    fn modifier(self) -> u32 {
        match self.0 {
            42 => 1,
            29 => 4,
            _ => 0,
        }
    }
}

impl Sway {
    /// Starts a compositor with this scale factor. Returns `None` if sway is not installed; the
    /// test must then be skipped.
    pub(crate) fn start(scale: f64) -> Option<Self> {
        let runtime = tempfile::tempdir().unwrap();
        let config = runtime.path().join("config");
        let [width, height] = SCREEN_SIZE;
        let lines = format!(
            "xwayland disable\n\
             output HEADLESS-1 resolution {width}x{height} position 0 0 scale {scale}\n\
             default_border none\n\
             default_floating_border none\n\
             focus_follows_mouse no\n\
             mouse_warping none\n\
             floating_maximum_size -1 x -1\n\
             for_window [app_id=\".*\"] floating enable\n"
        );
        std::fs::write(&config, lines).unwrap();
        let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
        let mut command = if is_root {
            for path in [runtime.path(), &config] {
                chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            }
            let mut command = Command::new("setpriv");
            let user = [format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")];
            command.args(user).args(["--clear-groups", "sway"]);
            command
        } else {
            Command::new("sway")
        };
        // Required by sway.
        std::fs::set_permissions(runtime.path(), Permissions::from_mode(0o700)).unwrap();
        let log = std::fs::File::create(runtime.path().join("log")).unwrap();
        let installed = Command::new("sway").arg("--version").output();
        if installed.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            skip(Need::Display, "sway is not installed");
            return None;
        }
        let server = command
            .arg("-c")
            .arg(&config)
            .envs([
                ("WLR_BACKENDS", "headless"),
                ("WLR_RENDERER", "pixman"),
                ("WLR_LIBINPUT_NO_DEVICES", "1"),
                ("WLR_HEADLESS_OUTPUTS", "1"),
            ])
            .env("XDG_RUNTIME_DIR", runtime.path())
            .env("SWAYSOCK", runtime.path().join("ipc"))
            .env("HOME", runtime.path())
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        let mut server = match server {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                skip(
                    Need::Display,
                    "setpriv, by which root starts sway, is not installed",
                );
                return None;
            }
            server => server.unwrap(),
        };
        let socket = runtime.path().join("wayland-1");
        let said = || std::fs::read_to_string(runtime.path().join("log")).unwrap();
        let deadline = Instant::now() + TIMEOUT;
        let connected = loop {
            if let (Ok(stream), Ok(_)) = (
                UnixStream::connect(&socket),
                UnixStream::connect(runtime.path().join("ipc")),
            ) {
                break stream;
            }
            let ended = server.try_wait().unwrap();
            assert!(
                ended.is_none() && Instant::now() < deadline,
                "sway did not start: {ended:?}\n{}",
                said()
            );
            sleep(Duration::from_millis(20));
        };
        let size = SCREEN_SIZE.map(|side| (f64::from(side) / scale) as u32);
        Some(Self {
            input_devices: RefCell::new(InputDevices::new(connected, size)),
            server,
            runtime,
            home: tempfile::tempdir().unwrap(),
        })
    }

    /// A temporary folder with the lifetime of the compositor.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// The socket for clients.
    pub(crate) fn socket(&self) -> PathBuf {
        self.runtime.path().join("wayland-1")
    }

    /// Runs a sway command.
    pub(crate) fn command(&self, command: &str) {
        let answer = self.ask(0, command);
        assert_eq!(answer[0]["success"], true, "{command}: {answer}");
    }

    fn ask(&self, kind: u32, payload: &str) -> Value {
        let mut stream = UnixStream::connect(self.runtime.path().join("ipc")).unwrap();
        let mut message = b"i3-ipc".to_vec();
        message.extend((payload.len() as u32).to_ne_bytes());
        message.extend(kind.to_ne_bytes());
        message.extend(payload.as_bytes());
        stream.write_all(&message).unwrap();
        let mut head = [0; 14];
        stream.read_exact(&mut head).unwrap();
        let length = u32::from_ne_bytes(head[6..10].try_into().unwrap());
        let mut answer = vec![0; length as usize];
        stream.read_exact(&mut answer).unwrap();
        serde_json::from_slice(&answer).unwrap()
    }

    /// sway's node of the window with this `app_id`; waits until the window is shown.
    pub(crate) fn window(&self, app_id: &str) -> Value {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let tree = self.ask(4, "");
            if let Some(window) = find(&tree, app_id) {
                return window.clone();
            }
            assert!(
                Instant::now() < deadline,
                "{app_id} shows no window: {tree}"
            );
            sleep(Duration::from_millis(20));
        }
    }

    /// `true` while the program's window covers the screen.
    pub(crate) fn is_full_screen(&self) -> bool {
        self.window("mapscope")["fullscreen_mode"] != 0
    }

    /// Changes the scale of the screen while programs run.
    pub(crate) fn set_scale(&self, scale: f64) {
        self.command(&format!("output HEADLESS-1 scale {scale}"));
        self.input_devices().size = SCREEN_SIZE.map(|side| (f64::from(side) / scale) as u32);
    }

    /// Gives the program the keyboard focus.
    pub(crate) fn focus(&self) {
        self.command("[app_id=\"^mapscope$\"] focus");
    }

    /// Resizes the program's window, moves it to a place where it does not cover the other program,
    /// and gives it the keyboard focus.
    pub(crate) fn arrange(&self, [width, height]: [u32; 2]) {
        self.window("mapscope");
        self.command(&format!(
            "[app_id=\"^mapscope$\"] resize set {width} {height}, move absolute position 0 0"
        ));
        self.focus();
    }

    /// The largest size of the program's window that leaves space for the other program.
    pub(crate) fn max_window_size(&self) -> [u32; 2] {
        self.input_devices().size.map(|side| side - PEER_SIDE)
    }

    /// Moves the other program's window into its corner and returns its centre.
    pub(crate) fn position_peer(&self) -> [f64; 2] {
        self.window(PEER);
        let [x, y] = self.max_window_size();
        self.command(&format!(
            "[app_id=\"{PEER}\"] resize set {PEER_SIDE} {PEER_SIDE}, move absolute position {x} {y}"
        ));
        [x, y].map(|side| f64::from(side + PEER_SIDE / 2))
    }

    /// Converts a position in the program's window into one on the screen, in logical pixels. The
    /// program reports rectangles in pixels of its own picture, which may be drawn larger than it
    /// is shown.
    pub(crate) fn on_screen(&self, program: &mut Program, at: [i32; 2]) -> [f64; 2] {
        let window = &self.window("mapscope")["rect"];
        let side = |name: &str| window[name].as_f64().unwrap();
        let scale = f64::from(program.rect("menu").width) / side("width");
        [
            side("x") + f64::from(at[0]) / scale,
            side("y") + f64::from(at[1]) / scale,
        ]
    }

    /// Centre of the view on the screen, in logical pixels.
    pub(crate) fn middle_of_view(&self, program: &mut Program) -> [f64; 2] {
        let view: Rect = program.rect("viewport");
        self.on_screen(program, view.center())
    }

    pub(crate) fn input_devices(&self) -> RefMut<'_, InputDevices> {
        self.input_devices.borrow_mut()
    }

    /// Kills the compositor, as in a crash.
    pub(crate) fn kill(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }
}

impl Host for Sway {
    fn apply_to(&self, command: &mut Command) {
        command
            .env("WAYLAND_DISPLAY", self.socket())
            .env_remove("WAYLAND_SOCKET")
            .env_remove("DISPLAY");
        super::program::give_folders(command, self.home());
    }

    fn server_pid(&self) -> u32 {
        self.server.id()
    }
}

impl Drop for Sway {
    fn drop(&mut self) {
        // The compositor may already have ended.
        let _ended = self.server.kill();
        let _status = self.server.wait();
    }
}

fn find<'a>(node: &'a Value, app_id: &str) -> Option<&'a Value> {
    if node["app_id"] == app_id && node["visible"] == true {
        return Some(node);
    }
    let nodes = ["nodes", "floating_nodes"].into_iter();
    let mut nodes = nodes.flat_map(|key| node[key].as_array().into_iter().flatten());
    nodes.find_map(|node| find(node, app_id))
}

/// A virtual pointer and keyboard. Positions are in logical pixels of the screen.
pub(crate) struct InputDevices {
    queue: EventQueue<NoState>,
    pointer: ZwlrVirtualPointerV1,
    keyboard: ZwpVirtualKeyboardV1,
    began: Instant,
    size: [u32; 2],
    at: [f64; 2],
}

/// Ignores all events of the devices.
struct NoState;

delegate_noop!(NoState: ignore WlSeat);
delegate_noop!(NoState: ZwlrVirtualPointerManagerV1);
delegate_noop!(NoState: ZwlrVirtualPointerV1);
delegate_noop!(NoState: ZwpVirtualKeyboardManagerV1);
delegate_noop!(NoState: ZwpVirtualKeyboardV1);

impl Dispatch<WlRegistry, GlobalListContents> for NoState {
    fn event(
        _: &mut Self,
        _: &WlRegistry,
        _: wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
    }
}

impl InputDevices {
    fn new(socket: UnixStream, size: [u32; 2]) -> Self {
        const KEYMAP: &str = "xkb_keymap { xkb_keycodes { include \"evdev+aliases(qwerty)\" }; \
            xkb_types { include \"complete\" }; xkb_compat { include \"complete\" }; \
            xkb_symbols { include \"pc+us+inet(evdev)\" }; };\0";
        let connection = Connection::from_socket(socket).unwrap();
        let (globals, queue) = registry_queue_init::<NoState>(&connection).unwrap();
        let handle = queue.handle();
        let seat: WlSeat = globals.bind(&handle, 1..=1, ()).unwrap();
        let pointers: ZwlrVirtualPointerManagerV1 = globals.bind(&handle, 1..=1, ()).unwrap();
        let pointer = pointers.create_virtual_pointer(Some(&seat), &handle, ());
        let keyboards: ZwpVirtualKeyboardManagerV1 = globals.bind(&handle, 1..=1, ()).unwrap();
        let keyboard = keyboards.create_virtual_keyboard(&seat, &handle, ());
        let mut keymap = tempfile::tempfile().unwrap();
        keymap.write_all(KEYMAP.as_bytes()).unwrap();
        keyboard.keymap(
            KeymapFormat::XkbV1 as u32,
            keymap.as_fd(),
            KEYMAP.len() as u32,
        );
        let mut input_devices = Self {
            queue,
            pointer,
            keyboard,
            began: Instant::now(),
            size,
            at: [0.0; 2],
        };
        input_devices.settle();
        input_devices
    }

    /// Waits until the compositor has processed the input.
    fn settle(&mut self) {
        self.queue.roundtrip(&mut NoState).unwrap();
        sleep(INPUT_DELAY);
    }

    fn now(&self) -> u32 {
        self.began.elapsed().as_millis() as u32
    }

    pub(crate) fn move_to(&mut self, at: [f64; 2]) {
        // In hundredths of a logical pixel.
        let [x, y] = at.map(|at| (at * 100.0) as u32);
        let [width, height] = self.size.map(|side| side * 100);
        self.pointer
            .motion_absolute(self.now(), x, y, width, height);
        self.pointer.frame();
        self.at = at;
        self.settle();
    }

    /// Moves the pointer in several steps, like a hand.
    pub(crate) fn glide_to(&mut self, to: [f64; 2]) {
        const STEPS: u32 = 5;
        let from = self.at;
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            self.move_to([0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * part));
        }
    }

    /// Presses or releases the left button.
    pub(crate) fn button(&mut self, state: ButtonState) {
        const LEFT: u32 = 0x110;
        self.pointer.button(self.now(), LEFT, state);
        self.pointer.frame();
        self.settle();
    }

    pub(crate) fn click(&mut self, at: [f64; 2]) {
        self.move_to(at);
        self.button(ButtonState::Pressed);
        self.button(ButtonState::Released);
    }

    /// Turns the wheel by one notch towards the user.
    pub(crate) fn scroll(&mut self) {
        self.pointer
            .axis_discrete(self.now(), Axis::VerticalScroll, 15.0, 1);
        self.pointer.frame();
        self.settle();
    }

    /// Presses keys together, modifiers first, and releases them.
    pub(crate) fn key(&mut self, keys: &[Key]) {
        let mut modifiers = 0;
        for key in keys {
            modifiers |= key.modifier();
            self.change_key(*key, 1, modifiers);
        }
        for key in keys.iter().rev() {
            modifiers &= !key.modifier();
            self.change_key(*key, 0, modifiers);
        }
        self.settle();
    }

    fn change_key(&mut self, key: Key, state: u32, modifiers: u32) {
        self.keyboard.key(self.now(), key.0, state);
        self.keyboard.modifiers(modifiers, 0, 0, 0);
        self.queue.roundtrip(&mut NoState).unwrap();
    }
}
