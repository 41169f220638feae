//! Drops on X11: XDND, version 5. winit supports drops too, but silently rejects a whole list for a
//! single unsupported URI. Examples are `file://localhost/a` and a name that is not UTF-8.
//!
//! Messages to the window belong to winit's connection. So the window names a proxy (XDND,
//! "XdndProxy"): a window of the viewer's own connection, to which sources then send their
//! messages. Sources without support for proxies still send them to winit.

use std::error::Error;
use std::sync::Arc;
use std::thread::JoinHandle;

use winit::window::Window;
use x11rb::connection::Connection as _;
use x11rb::errors::ConnectionError;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageData, ClientMessageEvent, ConnectionExt as _, CreateWindowAux,
    EventMask, PropMode, SelectionNotifyEvent, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::viewer::app::drops::{DeviceEvent, Dragged, MAX_LIST_BYTES, URI_LIST};

/// The protocol version.
const VERSION: u32 = 5;
/// Maximum number of offered types that are examined.
const MAX_FORMS: u32 = 1024;

x11rb::atom_manager! {
    /// Names of the protocol, and one that ends the thread.
    Atoms: AtomsCookie {
        XdndAware,
        XdndProxy,
        XdndSelection,
        XdndTypeList,
        XdndEnter,
        XdndPosition,
        XdndStatus,
        XdndLeave,
        XdndDrop,
        XdndFinished,
        XdndActionCopy,
        URI_LIST: URI_LIST.as_bytes(),
        END: b"MAPSCOPE_END",
    }
}

/// The proxy of a window with its thread, which ends when this is dropped.
#[derive(Debug)]
pub(in crate::viewer::app) struct Drops {
    connection: Arc<RustConnection>,
    proxy: u32,
    end: u32,
    thread: Option<JoinHandle<()>>,
}

impl Drops {
    /// Accepts drops on a window and passes them to `on_event`. Returns `None` if the window is not
    /// X11, or if its proxy cannot be created.
    pub(in crate::viewer::app) fn start(
        window: &Window,
        on_event: impl Fn(DeviceEvent) + Send + 'static,
    ) -> Option<Self> {
        let window = super::id_of(window)?;
        Self::try_start(window, Box::new(on_event))
            .inspect_err(|error| log::debug!("drops are left to winit: {error}"))
            .ok()
    }

    fn try_start(
        window: u32,
        on_event: Box<dyn Fn(DeviceEvent) + Send>,
    ) -> Result<Self, Box<dyn Error>> {
        let (connection, screen) = x11rb::connect(None)?;
        let connection = Arc::new(connection);
        let atoms = Atoms::new(&connection)?.reply()?;
        let roots = &connection.setup().roots;
        let root = roots.get(screen).ok_or("there is no such screen")?.root;
        let proxy = connection.generate_id()?;
        connection.create_window(
            0,
            proxy,
            root,
            -1,
            -1,
            1,
            1,
            0,
            WindowClass::INPUT_ONLY,
            x11rb::COPY_FROM_PARENT,
            &CreateWindowAux::new(),
        )?;
        // A proxy names itself, so that a stale window id is not mistaken for a proxy.
        for (of, property, kind, value) in [
            (proxy, atoms.XdndAware, AtomEnum::ATOM, VERSION),
            (proxy, atoms.XdndProxy, AtomEnum::WINDOW, proxy),
            (window, atoms.XdndProxy, AtomEnum::WINDOW, proxy),
        ] {
            connection
                .change_property32(PropMode::REPLACE, of, property, kind, &[value])?
                .check()?;
        }
        let mut target = Target {
            connection: Arc::clone(&connection),
            atoms,
            window,
            proxy,
            drag: None,
            on_event,
        };
        let thread = std::thread::Builder::new().name("x11 drops".to_owned());
        let thread = thread.spawn(move || {
            if let Err(error) = target.run() {
                // The window's own connection reports this to the user.
                log::debug!("drops end: {error}");
            }
        })?;
        Ok(Self {
            connection,
            proxy,
            end: atoms.END,
            thread: Some(thread),
        })
    }
}

impl Drop for Drops {
    fn drop(&mut self) {
        let end = ClientMessageEvent::new(32, self.proxy, self.end, [0; 5]);
        let sent = self
            .connection
            .send_event(false, self.proxy, EventMask::NO_EVENT, end)
            .and_then(|_| self.connection.flush());
        // Without a connection the thread has ended already.
        if sent.is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _panicked = thread.join();
        }
    }
}

/// Receives the messages of drag sources.
struct Target {
    connection: Arc<RustConnection>,
    atoms: Atoms,
    window: u32,
    proxy: u32,
    drag: Option<Drag>,
    on_event: Box<dyn Fn(DeviceEvent) + Send>,
}

/// A drag over the window.
#[derive(Debug)]
struct Drag {
    source: u32,
    /// `None` until its list of files arrives.
    dragged: Option<Dragged>,
    is_asked: bool,
    is_dropped: bool,
}

impl Target {
    fn run(&mut self) -> Result<(), ConnectionError> {
        loop {
            match self.connection.wait_for_event()? {
                Event::ClientMessage(message) if message.type_ == self.atoms.END => return Ok(()),
                Event::ClientMessage(message) if message.format == 32 => {
                    self.handle_message(&message)?;
                }
                Event::SelectionNotify(answer) if answer.requestor == self.proxy => {
                    self.take_list(&answer)?;
                }
                _ => {}
            }
            self.connection.flush()?;
        }
    }

    fn handle_message(&mut self, message: &ClientMessageEvent) -> Result<(), ConnectionError> {
        let data = message.data.as_data32();
        let source = data[0];
        if message.type_ == self.atoms.XdndEnter {
            let has_list = self.offers_list(&data)?;
            self.drag = Some(Drag {
                source,
                dragged: (!has_list).then(Dragged::no_file),
                is_asked: false,
                is_dropped: false,
            });
        }
        let Some(drag) = self.drag.as_mut().filter(|drag| drag.source == source) else {
            return Ok(());
        };
        if message.type_ == self.atoms.XdndLeave {
            self.drag = None;
            (self.on_event)(DeviceEvent::Left);
        } else if message.type_ == self.atoms.XdndPosition {
            let is_first = !std::mem::replace(&mut drag.is_asked, true);
            // Invalid data is accepted too: after the drop the window explains why it cannot be
            // opened.
            self.answer(self.atoms.XdndStatus, [1, 0, 0, self.atoms.XdndActionCopy])?;
            if is_first {
                self.ask(data[3])?;
            }
        } else if message.type_ == self.atoms.XdndDrop {
            drag.is_dropped = true;
            if !std::mem::replace(&mut drag.is_asked, true) {
                self.ask(data[2])?;
            }
            self.end_drop()?;
        }
        Ok(())
    }

    /// `true` if the source offers a list of files.
    fn offers_list(&self, [source, flags, forms @ ..]: &[u32; 5]) -> Result<bool, ConnectionError> {
        let has_more = flags & 1 == 1;
        if !has_more {
            return Ok(forms.contains(&self.atoms.URI_LIST));
        }
        let list = self.atoms.XdndTypeList;
        let forms =
            self.connection
                .get_property(false, *source, list, AtomEnum::ATOM, 0, MAX_FORMS)?;
        // The source may be gone.
        let forms = forms.reply().ok();
        let mut forms = forms.iter().filter_map(|forms| forms.value32()).flatten();
        Ok(forms.any(|form| form == self.atoms.URI_LIST))
    }

    /// Reports the drag, and requests its list of files at a server time.
    fn ask(&self, time: u32) -> Result<(), ConnectionError> {
        let dragged = self.drag.as_ref().and_then(|drag| drag.dragged.clone());
        if dragged.is_none() {
            let selection = self.atoms.XdndSelection;
            self.connection.convert_selection(
                self.proxy,
                selection,
                self.atoms.URI_LIST,
                selection,
                time,
            )?;
        }
        (self.on_event)(DeviceEvent::Over(dragged.unwrap_or_default()));
        Ok(())
    }

    /// Handles the requested list of files.
    fn take_list(&mut self, answer: &SelectionNotifyEvent) -> Result<(), ConnectionError> {
        let dragged = self.list(answer)?;
        let Some(drag) = &mut self.drag else {
            return Ok(());
        };
        drag.dragged = Some(dragged.clone());
        (self.on_event)(DeviceEvent::Over(dragged));
        self.end_drop()
    }

    fn list(&self, answer: &SelectionNotifyEvent) -> Result<Dragged, ConnectionError> {
        if answer.property == x11rb::NONE {
            return Ok(Dragged::failed(
                "the source program provides no list of files",
            ));
        }
        let max_length = (MAX_LIST_BYTES / 4) as u32;
        let any = AtomEnum::ANY;
        let list =
            self.connection
                .get_property(true, self.proxy, answer.property, any, 0, max_length)?;
        let Ok(list) = list.reply() else {
            return Ok(Dragged::failed("the list of files cannot be read"));
        };
        // A list that is too long for one message arrives in parts, with another type.
        if list.bytes_after > 0 || list.type_ != self.atoms.URI_LIST {
            return Ok(Dragged::failed("the list of files is too long"));
        }
        Ok(Dragged::of_list(&list.value))
    }

    /// Ends a drop once its list of files has arrived.
    fn end_drop(&mut self) -> Result<(), ConnectionError> {
        let dropped = self.drag.as_ref().filter(|drag| drag.is_dropped);
        let Some(dragged) = dropped.and_then(|drag| drag.dragged.clone()) else {
            return Ok(());
        };
        let is_taken = u32::from(!dragged.is_rejected());
        let action = self.atoms.XdndActionCopy * is_taken;
        self.answer(self.atoms.XdndFinished, [is_taken, action, 0, 0])?;
        self.drag = None;
        (self.on_event)(DeviceEvent::Dropped(dragged));
        Ok(())
    }

    /// Sends a protocol message to the source; each begins with the window.
    fn answer(&self, message: u32, [b, c, d, e]: [u32; 4]) -> Result<(), ConnectionError> {
        let Some(drag) = &self.drag else {
            return Ok(());
        };
        let data = ClientMessageData::from([self.window, b, c, d, e]);
        let event = ClientMessageEvent::new(32, drag.source, message, data);
        // The source may be gone; its error would arrive as an event, which is ignored.
        self.connection
            .send_event(false, drag.source, EventMask::NO_EVENT, event)?;
        Ok(())
    }
}
