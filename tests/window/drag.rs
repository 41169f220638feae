//! Drags files onto a window: the source of an XDND drag and drop, version 5 of the protocol.
//!
//! It behaves like a file manager: it owns the selection `XdndSelection` with a server timestamp,
//! grabs the pointer, sends its position to the window below it, waits for each answer before the
//! next message, and serves the files on every request.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageData, ClientMessageEvent, ConnectionExt as _, CreateWindowAux,
    EventMask, GrabMode, GrabStatus, PropMode, SELECTION_NOTIFY_EVENT, SelectionNotifyEvent,
    SelectionRequestEvent, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use super::display::Display;
use super::screen::Screen;

x11rb::atom_manager! {
    /// Atoms of the protocol.
    Atoms: AtomsCookie {
        XdndAware,
        XdndProxy,
        XdndSelection,
        XdndEnter,
        XdndPosition,
        XdndStatus,
        XdndLeave,
        XdndDrop,
        XdndFinished,
        XdndActionCopy,
        TARGETS,
        URI_LIST: b"text/uri-list",
        CLOCK: b"MAPSCOPE_TEST_CLOCK",
    }
}

/// Version of the protocol.
const VERSION: u32 = 5;
/// Timeout for an answer of the window.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Reason why a drag failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DragError {
    /// The window does not announce support for drops.
    NotAware,
    /// The window does not accept this drag at the pointer's position.
    Refused,
    /// The window did not answer this message.
    NoAnswer(&'static str),
    /// The window accepted the drop, but reported that it did not use it.
    NotTaken,
}

/// A drag in progress, with the pointer over the middle of a window.
#[derive(Debug)]
pub(crate) struct Drag {
    connection: RustConnection,
    atoms: Atoms,
    root: u32,
    source: u32,
    target: u32,
    /// Window that receives the messages.
    proxy: u32,
    list: Vec<u8>,
    answers: Answers,
}

/// Answers of the window so far.
#[derive(Debug, Default)]
struct Answers {
    /// Number of answers to positions; `accepts` is the last answer.
    statuses: u32,
    accepts: bool,
    /// Number of times that the list of files was read.
    reads: u32,
    /// `true` if the drop was used; `None` until the window reports the end.
    finished: Option<bool>,
    /// Server time, as last queried.
    time: Option<u32>,
}

impl Drag {
    /// Drags files from the left edge of a window to its middle.
    pub(crate) fn over(
        display: &Display,
        screen: &Screen,
        files: &[&Path],
    ) -> Result<Self, DragError> {
        Self::list_over(display, screen, uri_list(files))
    }

    /// Like [`Self::over`], with a given list of URIs.
    pub(crate) fn list_over(
        display: &Display,
        screen: &Screen,
        list: String,
    ) -> Result<Self, DragError> {
        let (connection, number) = x11rb::connect(Some(display.name())).unwrap();
        let root = connection.setup().roots[number].root;
        let atoms = Atoms::new(&connection).unwrap().reply().unwrap();
        let source = connection.generate_id().unwrap();
        connection
            .create_window(
                x11rb::COPY_DEPTH_FROM_PARENT,
                source,
                root,
                -1,
                -1,
                1,
                1,
                0,
                WindowClass::INPUT_OUTPUT,
                x11rb::COPY_FROM_PARENT,
                &CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE),
            )
            .unwrap()
            .check()
            .unwrap();
        let mut drag = Self {
            connection,
            atoms,
            root,
            source,
            target: screen.window(),
            proxy: screen.window(),
            list: list.into_bytes(),
            answers: Answers::default(),
        };
        drag.enter()?;
        let [width, height] = screen.size();
        let origin = drag
            .connection
            .translate_coordinates(drag.target, root, 0, 0)
            .unwrap()
            .reply()
            .unwrap();
        const STEPS: i32 = 4;
        for step in 1..=STEPS {
            let x = i32::from(origin.dst_x) + i32::from(width) / 2 * step / STEPS;
            let y = i32::from(origin.dst_y) + i32::from(height) / 2;
            drag.move_to([x as i16, y as i16])?;
        }
        // Some windows read the list during the hover, others at the drop. A user gives the first
        // kind enough time; the second kind does not need it.
        drag.wait(Duration::from_secs(2), |answers| answers.reads > 0);
        Ok(drag)
    }

    /// Drops the files.
    pub(crate) fn drop_files(mut self) -> Result<(), DragError> {
        let time = self.server_time();
        self.send(self.atoms.XdndDrop, [0, time, 0, 0]);
        self.release_pointer();
        if !self.wait(TIMEOUT, |answers| answers.finished.is_some()) {
            return Err(DragError::NoAnswer("XdndDrop"));
        }
        if self.answers.finished == Some(true) && self.answers.reads > 0 {
            Ok(())
        } else {
            Err(DragError::NotTaken)
        }
    }

    /// Drags the files out of the window again.
    pub(crate) fn cancel(self) {
        self.send(self.atoms.XdndLeave, [0; 4]);
        self.release_pointer();
    }

    /// Grabs the pointer and the selection, and sends the enter message to the window.
    fn enter(&mut self) -> Result<(), DragError> {
        let aware = self
            .connection
            .get_property(
                false,
                self.target,
                self.atoms.XdndAware,
                AtomEnum::ATOM,
                0,
                1,
            )
            .unwrap()
            .reply()
            .unwrap();
        let spoken = aware
            .value32()
            .and_then(|mut v| v.next())
            .ok_or(DragError::NotAware)?;
        let version = VERSION.min(spoken);
        let proxy = self.connection.get_property(
            false,
            self.target,
            self.atoms.XdndProxy,
            AtomEnum::WINDOW,
            0,
            1,
        );
        let proxy = proxy.unwrap().reply().unwrap();
        let proxy = proxy.value32().and_then(|mut window| window.next());
        self.proxy = proxy.unwrap_or(self.target);
        // During a drag the pointer belongs to the source: the window gets no move events.
        let grab = self
            .connection
            .grab_pointer(
                false,
                self.root,
                EventMask::POINTER_MOTION | EventMask::BUTTON_RELEASE,
                GrabMode::ASYNC,
                GrabMode::ASYNC,
                x11rb::NONE,
                x11rb::NONE,
                x11rb::CURRENT_TIME,
            )
            .unwrap()
            .reply()
            .unwrap();
        assert_eq!(grab.status, GrabStatus::SUCCESS);
        let time = self.server_time();
        self.connection
            .set_selection_owner(self.source, self.atoms.XdndSelection, time)
            .unwrap()
            .check()
            .unwrap();
        self.send(
            self.atoms.XdndEnter,
            [version << 24, self.atoms.URI_LIST, 0, 0],
        );
        Ok(())
    }

    /// Moves the pointer to a position on the screen and waits for the window's answer.
    fn move_to(&mut self, [x, y]: [i16; 2]) -> Result<(), DragError> {
        self.connection
            .warp_pointer(x11rb::NONE, self.root, 0, 0, 0, 0, x, y)
            .unwrap()
            .check()
            .unwrap();
        let place = u32::from(x as u16) << 16 | u32::from(y as u16);
        let time = self.server_time();
        let before = self.answers.statuses;
        self.send(
            self.atoms.XdndPosition,
            [0, place, time, self.atoms.XdndActionCopy],
        );
        if !self.wait(TIMEOUT, |answers| answers.statuses > before) {
            return Err(DragError::NoAnswer("XdndPosition"));
        }
        if self.answers.accepts {
            Ok(())
        } else {
            self.send(self.atoms.XdndLeave, [0; 4]);
            self.release_pointer();
            Err(DragError::Refused)
        }
    }

    /// Sends a message of the protocol; each begins with the source window.
    fn send(&self, message: Atom, [b, c, d, e]: [u32; 4]) {
        let data = ClientMessageData::from([self.source, b, c, d, e]);
        let event = ClientMessageEvent::new(32, self.target, message, data);
        self.connection
            .send_event(false, self.proxy, EventMask::NO_EVENT, event)
            .unwrap()
            .check()
            .unwrap();
    }

    fn release_pointer(&self) {
        self.connection
            .ungrab_pointer(x11rb::CURRENT_TIME)
            .unwrap()
            .check()
            .unwrap();
    }

    /// Queries the server time: the server stamps a property change.
    fn server_time(&mut self) -> u32 {
        self.answers.time = None;
        self.connection
            .change_property8(
                PropMode::APPEND,
                self.source,
                self.atoms.CLOCK,
                AtomEnum::STRING,
                &[],
            )
            .unwrap()
            .check()
            .unwrap();
        assert!(
            self.wait(TIMEOUT, |answers| answers.time.is_some()),
            "the X server hangs"
        );
        self.answers.time.unwrap()
    }

    /// Processes events until the answers match or the time is over. Returns `true` if they match.
    fn wait(&mut self, at_most: Duration, wanted: impl Fn(&Answers) -> bool) -> bool {
        let deadline = Instant::now() + at_most;
        loop {
            while let Some(event) = self.connection.poll_for_event().unwrap() {
                self.handle_event(&event);
            }
            if wanted(&self.answers) {
                return true;
            }
            if Instant::now() > deadline {
                return false;
            }
            sleep(Duration::from_millis(2));
        }
    }

    fn handle_event(&mut self, event: &Event) {
        match event {
            Event::SelectionRequest(request) => self.serve_selection(request),
            Event::PropertyNotify(change) if change.atom == self.atoms.CLOCK => {
                self.answers.time = Some(change.time);
            }
            Event::ClientMessage(message) => {
                // Bit 0 of the second value is "accepted".
                let yes = message.data.as_data32()[1] & 1 == 1;
                if message.type_ == self.atoms.XdndStatus {
                    self.answers.statuses += 1;
                    self.answers.accepts = yes;
                } else if message.type_ == self.atoms.XdndFinished {
                    self.answers.finished = Some(yes);
                }
            }
            Event::SelectionClear(_) => panic!("another program took the selection"),
            _ => {}
        }
    }

    /// Serves the files, or the list of supported types.
    fn serve_selection(&mut self, request: &SelectionRequestEvent) {
        // Old clients set no property and mean the property named like the target.
        let property = if request.property == x11rb::NONE {
            request.target
        } else {
            request.property
        };
        let (requestor, replace) = (request.requestor, PropMode::REPLACE);
        let answered = if request.target == self.atoms.TARGETS {
            let forms = [self.atoms.TARGETS, self.atoms.URI_LIST];
            self.connection
                .change_property32(replace, requestor, property, AtomEnum::ATOM, &forms)
        } else if request.target == self.atoms.URI_LIST {
            self.answers.reads += 1;
            self.connection.change_property8(
                replace,
                requestor,
                property,
                request.target,
                &self.list,
            )
        } else {
            return self.notify(request, x11rb::NONE);
        };
        answered.unwrap().check().unwrap();
        self.notify(request, property);
    }

    fn notify(&self, request: &SelectionRequestEvent, property: Atom) {
        let event = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property,
        };
        self.connection
            .send_event(false, request.requestor, EventMask::NO_EVENT, event)
            .unwrap()
            .check()
            .unwrap();
    }
}

/// Files as `text/uri-list` (RFC 2483): one URI a line, names percent-encoded (RFC 3986).
fn uri_list(files: &[&Path]) -> String {
    let mut list = String::new();
    for file in files {
        list.push_str("file://");
        for &byte in std::path::absolute(file).unwrap().as_os_str().as_bytes() {
            if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
                list.push(char::from(byte));
            } else {
                write!(list, "%{byte:02X}").unwrap();
            }
        }
        list.push_str("\r\n");
    }
    list
}

#[test]
fn names_are_percent_encoded() {
    assert_eq!(
        uri_list(&[Path::new("/a b/ü#1%.pfmap"), Path::new("/日~")]),
        "file:///a%20b/%C3%BC%231%25.pfmap\r\nfile:///%E6%97%A5~\r\n"
    );
}
