//! Another program on the same Wayland display. It is a source of drags and exchanges texts through
//! the clipboard.

use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_buffer::WlBuffer;
use wayland_client::protocol::wl_compositor::WlCompositor;
use wayland_client::protocol::wl_data_device::{self, WlDataDevice};
use wayland_client::protocol::wl_data_device_manager::{DndAction, WlDataDeviceManager};
use wayland_client::protocol::wl_data_offer::WlDataOffer;
use wayland_client::protocol::wl_data_source::{self, WlDataSource};
use wayland_client::protocol::wl_keyboard::{self, WlKeyboard};
use wayland_client::protocol::wl_pointer::{self, ButtonState, WlPointer};
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::protocol::wl_seat::WlSeat;
use wayland_client::protocol::wl_shm::{Format, WlShm};
use wayland_client::protocol::wl_shm_pool::WlShmPool;
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{
    Connection, Dispatch, QueueHandle, WEnum, delegate_noop, event_created_child,
};
use wayland_protocols::xdg::shell::client::xdg_surface::{self, XdgSurface};
use wayland_protocols::xdg::shell::client::xdg_toplevel::{self, XdgToplevel};
use wayland_protocols::xdg::shell::client::xdg_wm_base::{self, XdgWmBase};

use super::sway::Sway;

/// The `app_id` of the peer.
pub(crate) const PEER: &str = "another-program";
pub(crate) const TEXT: &str = "text/plain;charset=utf-8";
/// A generous timeout for slow machines.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Data that the peer offers.
#[derive(Debug, Clone)]
pub(crate) struct OfferedData {
    /// MIME type of the data.
    pub(crate) mime_type: &'static str,
    /// `None` if requests are never answered.
    pub(crate) data: Option<Vec<u8>>,
}

impl OfferedData {
    /// Files or other URIs, one per line.
    pub(crate) fn uris(lines: &[String]) -> Self {
        let list: String = lines
            .iter()
            .flat_map(|line| [line.as_str(), "\r\n"])
            .collect();
        Self {
            mime_type: "text/uri-list",
            data: Some(list.into_bytes()),
        }
    }

    pub(crate) fn text(text: impl Into<Vec<u8>>) -> Self {
        Self {
            mime_type: TEXT,
            data: Some(text.into()),
        }
    }
}

/// Reports of the peer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PeerReport {
    /// A drag has begun, or the data is on the clipboard.
    Offers,
    /// The dragged data was accepted.
    Finished,
    /// The dragged data was not accepted, or the clipboard has other data.
    Cancelled,
    /// Data on the clipboard from another program.
    Clipboard(Vec<u8>),
}

/// Behaviour of the peer.
#[derive(Debug, Clone)]
pub(crate) enum Role {
    /// Its data can be dragged out of its window.
    Drag(OfferedData),
    /// It copies its data to the clipboard when it gets the keyboard focus.
    Copy(OfferedData),
    /// It reads the clipboard as this type when it gets the keyboard focus.
    Paste(&'static str),
}

/// A running peer; dropping it closes its window.
pub(crate) struct Peer<'a> {
    sway: &'a Sway,
    said: Receiver<PeerReport>,
    thread: Option<JoinHandle<()>>,
    /// Centre of its window on the screen.
    pub(crate) at: [f64; 2],
}

impl<'a> Peer<'a> {
    /// Starts the peer and waits until its window is in its corner.
    pub(crate) fn start(sway: &'a Sway, role: Role) -> Self {
        let (tell, said) = channel();
        let socket = UnixStream::connect(sway.socket()).unwrap();
        let thread = std::thread::spawn(move || run(socket, role, tell));
        let mut peer = Self {
            sway,
            said,
            thread: Some(thread),
            at: [0.0; 2],
        };
        peer.at = sway.position_peer();
        peer
    }

    /// Waits for the next report.
    #[track_caller]
    pub(crate) fn next_report(&self) -> PeerReport {
        self.said
            .recv_timeout(TIMEOUT)
            .expect("the peer tells something")
    }
}

impl Drop for Peer<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.sway.command(&format!("[app_id=\"{PEER}\"] kill"));
            if let Some(thread) = self.thread.take() {
                thread.join().unwrap();
            }
        }
    }
}

struct State {
    role: Role,
    tell: Sender<PeerReport>,
    connection: Connection,
    manager: WlDataDeviceManager,
    device: WlDataDevice,
    surface: WlSurface,
    buffer: WlBuffer,
    /// The current clipboard offer.
    offer: Option<WlDataOffer>,
    /// Pipes of requests that are never answered.
    silent: Vec<std::os::fd::OwnedFd>,
    closed: bool,
}

fn run(socket: UnixStream, role: Role, tell: Sender<PeerReport>) {
    const SIDE: i32 = 90;
    let connection = Connection::from_socket(socket).unwrap();
    let (globals, mut queue) = registry_queue_init::<State>(&connection).unwrap();
    let handle = queue.handle();
    let seat: WlSeat = globals.bind(&handle, 1..=5, ()).unwrap();
    let manager: WlDataDeviceManager = globals.bind(&handle, 3..=3, ()).unwrap();
    let device = manager.get_data_device(&seat, &handle, ());
    seat.get_pointer(&handle, ());
    seat.get_keyboard(&handle, ());
    let compositor: WlCompositor = globals.bind(&handle, 1..=4, ()).unwrap();
    let shm: WlShm = globals.bind(&handle, 1..=1, ()).unwrap();
    let shell: XdgWmBase = globals.bind(&handle, 1..=1, ()).unwrap();
    let pixels = tempfile::tempfile().unwrap();
    pixels.set_len((SIDE * SIDE * 4) as u64).unwrap();
    let pool = shm.create_pool(pixels.as_fd(), SIDE * SIDE * 4, &handle, ());
    let buffer = pool.create_buffer(0, SIDE, SIDE, SIDE * 4, Format::Xrgb8888, &handle, ());
    let surface = compositor.create_surface(&handle, ());
    let shell_surface = shell.get_xdg_surface(&surface, &handle, ());
    let window = shell_surface.get_toplevel(&handle, ());
    window.set_app_id(PEER.to_owned());
    surface.commit();
    let mut state = State {
        role,
        tell,
        connection,
        manager,
        device,
        surface,
        buffer,
        offer: None,
        silent: Vec::new(),
        closed: false,
    };
    while !state.closed && queue.blocking_dispatch(&mut state).is_ok() {}
}

impl State {
    fn source(&self, goods: &OfferedData, queue: &QueueHandle<Self>) -> WlDataSource {
        let source = self.manager.create_data_source(queue, goods.clone());
        source.offer(goods.mime_type.to_owned());
        source
    }

    fn tell(&self, said: PeerReport) {
        // The test may already have dropped the receiver.
        let _unheard = self.tell.send(said);
    }
}

impl Dispatch<WlPointer, ()> for State {
    fn event(
        state: &mut Self,
        _: &WlPointer,
        event: wl_pointer::Event,
        (): &(),
        _: &Connection,
        queue: &QueueHandle<Self>,
    ) {
        if let wl_pointer::Event::Button {
            serial,
            state: WEnum::Value(ButtonState::Pressed),
            ..
        } = event
            && let Role::Drag(goods) = &state.role
        {
            let source = state.source(goods, queue);
            source.set_actions(DndAction::Copy | DndAction::Move);
            state
                .device
                .start_drag(Some(&source), &state.surface, None, serial);
            state.tell(PeerReport::Offers);
        }
    }
}

impl Dispatch<WlKeyboard, ()> for State {
    fn event(
        state: &mut Self,
        _: &WlKeyboard,
        event: wl_keyboard::Event,
        (): &(),
        _: &Connection,
        queue: &QueueHandle<Self>,
    ) {
        if let wl_keyboard::Event::Enter { serial, .. } = event
            && let Role::Copy(goods) = &state.role
        {
            let source = state.source(goods, queue);
            state.device.set_selection(Some(&source), serial);
            state.connection.roundtrip().unwrap();
            state.tell(PeerReport::Offers);
        }
    }
}

impl Dispatch<WlDataSource, OfferedData> for State {
    fn event(
        state: &mut Self,
        source: &WlDataSource,
        event: wl_data_source::Event,
        goods: &OfferedData,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        use wl_data_source::Event;
        match event {
            Event::Send { fd, mime_type } => {
                assert_eq!(mime_type, goods.mime_type);
                match &goods.data {
                    // A reader that has enough closes the pipe early.
                    Some(data) => drop(std::fs::File::from(fd).write_all(data)),
                    None => state.silent.push(fd),
                }
            }
            Event::DndFinished => {
                source.destroy();
                state.tell(PeerReport::Finished);
            }
            Event::Cancelled => {
                source.destroy();
                state.tell(PeerReport::Cancelled);
            }
            _ => {}
        }
    }
}

impl Dispatch<WlDataDevice, ()> for State {
    fn event(
        state: &mut Self,
        _: &WlDataDevice,
        event: wl_data_device::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let wl_data_device::Event::Selection { id } = event {
            state.offer = id;
            if let (Role::Paste(mime_type), Some(offer)) = (&state.role, &state.offer) {
                let (mut reader, writer) = std::io::pipe().unwrap();
                offer.receive((*mime_type).to_owned(), writer.as_fd());
                state.connection.flush().unwrap();
                drop(writer);
                let mut bytes = Vec::new();
                reader.read_to_end(&mut bytes).unwrap();
                state.tell(PeerReport::Clipboard(bytes));
            }
        }
    }

    event_created_child!(Self, WlDataDevice, [
        wl_data_device::EVT_DATA_OFFER_OPCODE => (WlDataOffer, ()),
    ]);
}

impl Dispatch<XdgSurface, ()> for State {
    fn event(
        state: &mut Self,
        surface: &XdgSurface,
        event: xdg_surface::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let xdg_surface::Event::Configure { serial } = event {
            surface.ack_configure(serial);
            state.surface.attach(Some(&state.buffer), 0, 0);
            state.surface.commit();
        }
    }
}

impl Dispatch<XdgToplevel, ()> for State {
    fn event(
        state: &mut Self,
        _: &XdgToplevel,
        event: xdg_toplevel::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        state.closed |= matches!(event, xdg_toplevel::Event::Close);
    }
}

impl Dispatch<XdgWmBase, ()> for State {
    fn event(
        _: &mut Self,
        shell: &XdgWmBase,
        event: xdg_wm_base::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let xdg_wm_base::Event::Ping { serial } = event {
            shell.pong(serial);
        }
    }
}

impl Dispatch<WlRegistry, GlobalListContents> for State {
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

delegate_noop!(State: WlCompositor);
delegate_noop!(State: WlDataDeviceManager);
delegate_noop!(State: WlShmPool);
delegate_noop!(State: ignore WlBuffer);
delegate_noop!(State: ignore WlDataOffer);
delegate_noop!(State: ignore WlSeat);
delegate_noop!(State: ignore WlShm);
delegate_noop!(State: ignore WlSurface);
