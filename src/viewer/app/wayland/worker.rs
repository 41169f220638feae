//! The thread of the data device.

use std::io::{PipeReader, Read as _};
use std::os::fd::AsFd as _;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use thiserror::Error;
use wayland_backend::client::WaylandError;
use wayland_client::globals::{BindError, GlobalList, GlobalListContents};
use wayland_client::protocol::wl_data_device::{self, WlDataDevice};
use wayland_client::protocol::wl_data_device_manager::{DndAction, WlDataDeviceManager};
use wayland_client::protocol::wl_data_offer::{self, WlDataOffer};
use wayland_client::protocol::wl_data_source::{self, WlDataSource};
use wayland_client::protocol::wl_keyboard::{self, WlKeyboard};
use wayland_client::protocol::wl_pointer::{self, WlPointer};
use wayland_client::protocol::wl_registry::{self, WlRegistry};
use wayland_client::protocol::wl_seat::{self, Capability, WlSeat};
use wayland_client::{
    Connection, Dispatch, DispatchError, EventQueue, Proxy as _, QueueHandle, WEnum, delegate_noop,
    event_created_child,
};

use super::transfer::{Incoming, Outgoing, TransferError};
use super::{Content, Request};
use crate::viewer::app::clipboard::{MAX_PASTE_BYTES, PasteTarget, Pasted};
use crate::viewer::app::drops::{DeviceEvent, Dragged, MAX_LIST_BYTES, URI_LIST};

/// Maximum number of simultaneous outgoing transfers.
const MAX_OUTGOING: usize = 16;
/// Text types, best first; the last two are used by X11 programs.
const TEXT_TYPES: [&str; 5] = [
    "text/plain;charset=utf-8",
    "UTF8_STRING",
    "text/plain",
    "TEXT",
    "STRING",
];
const PNG_TYPES: [&str; 1] = ["image/png"];

/// The reason why the thread ended without a request.
#[derive(Debug, Error)]
pub(super) enum WorkerError {
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    #[error(transparent)]
    Connection(#[from] WaylandError),
    #[error(transparent)]
    Poll(#[from] rustix::io::Errno),
}

/// The supported types of an offer.
#[derive(Debug, Default, Clone, Copy)]
struct Offered {
    has_uri_list: bool,
    /// The best text type, as an index into [`TEXT_TYPES`].
    text: Option<usize>,
    /// The negotiated action of a drop, once known.
    action: Option<DndAction>,
}

type OfferData = Mutex<Offered>;

/// Data offered by another program: dragged, or on the clipboard.
#[derive(Debug)]
struct Offer(WlDataOffer);

impl Offer {
    fn offered(&self) -> Offered {
        let data = self.0.data::<OfferData>();
        data.map(|data| *data.lock().unwrap_or_else(PoisonError::into_inner))
            .unwrap_or_default()
    }

    /// Requests its data in a type.
    fn receive(&self, mime_type: &str, limit: usize) -> Result<Incoming, TransferError> {
        let (incoming, writer) = Incoming::start(limit, Instant::now())?;
        self.0.receive(mime_type.to_owned(), writer.as_fd());
        Ok(incoming)
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        self.0.destroy();
    }
}

/// Data dragged over the window or dropped on it.
#[derive(Debug)]
struct Drag {
    offer: Offer,
    /// Serial of the enter event, with which it is accepted or refused.
    serial: u32,
    files: DraggedFiles,
}

#[derive(Debug)]
enum DraggedFiles {
    Coming(Incoming),
    Known(Dragged),
}

/// The clipboard content of this program.
#[derive(Debug)]
struct Copied {
    content: Content,
    /// `None` if the compositor was not asked to take it.
    source: Option<WlDataSource>,
}

impl Content {
    /// Returns the types in which it is offered, best first.
    fn types(&self) -> &'static [&'static str] {
        match self {
            Self::Text(_) => &TEXT_TYPES,
            Self::Png(_) => &PNG_TYPES,
        }
    }

    fn bytes(&self) -> Arc<[u8]> {
        match self {
            Self::Text(text) => Arc::clone(text).into(),
            Self::Png(bytes) => Arc::clone(bytes),
        }
    }
}

/// State of the thread.
pub(super) struct Worker {
    connection: Connection,
    seat: WlSeat,
    manager: WlDataDeviceManager,
    device: WlDataDevice,
    keyboard: Option<WlKeyboard>,
    pointer: Option<WlPointer>,
    /// Serial of the last user input, which proves to the compositor that a copy is intended.
    serial: Option<u32>,
    over: Option<Drag>,
    dropped: Option<Drag>,
    clipboard: Option<Offer>,
    copied: Option<Copied>,
    pastes: Vec<(PasteTarget, Incoming)>,
    sending: Vec<Outgoing>,
    on_event: Box<dyn Fn(DeviceEvent) + Send>,
    received: Receiver<Request>,
}

impl Worker {
    /// Creates the device of the first seat; almost all machines have only one.
    pub(super) fn new(
        connection: Connection,
        globals: &GlobalList,
        queue: &QueueHandle<Self>,
        on_event: Box<dyn Fn(DeviceEvent) + Send>,
        received: Receiver<Request>,
    ) -> Result<Self, BindError> {
        let seat: WlSeat = globals.bind(queue, 1..=5, ())?;
        let manager: WlDataDeviceManager = globals.bind(queue, 1..=3, ())?;
        let device = manager.get_data_device(&seat, queue, ());
        Ok(Self {
            connection,
            seat,
            manager,
            device,
            keyboard: None,
            pointer: None,
            serial: None,
            over: None,
            dropped: None,
            clipboard: None,
            copied: None,
            pastes: Vec::new(),
            sending: Vec::new(),
            on_event,
            received,
        })
    }

    /// Runs until the pipe `sleep` is closed.
    ///
    /// # Errors
    /// Fails if the display is gone.
    pub(super) fn run(
        &mut self,
        queue: &mut EventQueue<Self>,
        mut sleep: PipeReader,
    ) -> Result<(), WorkerError> {
        loop {
            queue.dispatch_pending(self)?;
            while let Ok(request) = self.received.try_recv() {
                self.answer(request, &queue.handle());
            }
            self.advance();
            match self.connection.flush() {
                Err(WaylandError::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                flushed => flushed?,
            }
            let Some(guard) = queue.prepare_read() else {
                continue;
            };
            let (display_ready, woken) = {
                let display = guard.connection_fd();
                let mut waits = vec![
                    PollFd::new(&display, PollFlags::IN),
                    PollFd::new(&sleep, PollFlags::IN),
                ];
                let incoming = self.incoming();
                waits.extend(incoming.map(|data| PollFd::new(data, PollFlags::IN)));
                let sending = self.sending.iter();
                waits.extend(sending.map(|data| PollFd::new(data, PollFlags::OUT)));
                match poll(&mut waits, self.timeout().as_ref()) {
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
                (
                    !waits[0].revents().is_empty(),
                    !waits[1].revents().is_empty(),
                )
            };
            if woken && matches!(sleep.read(&mut [0; 64]), Ok(0) | Err(_)) {
                self.end();
                return Ok(());
            }
            if display_ready {
                match guard.read() {
                    Ok(_) => {}
                    // Another thread was faster.
                    Err(WaylandError::Io(error))
                        if error.kind() == std::io::ErrorKind::WouldBlock => {}
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }

    /// Releases all objects of the compositor.
    fn end(&mut self) {
        (self.over, self.dropped, self.clipboard) = (None, None, None);
        if let Some(source) = self.copied.take().and_then(|copied| copied.source) {
            source.destroy();
        }
        self.take_devices(Capability::empty(), None);
        if self.device.version() >= 2 {
            self.device.release();
        }
        if self.seat.version() >= 5 {
            self.seat.release();
        }
        // The display may be gone.
        let _gone = self.connection.flush();
    }

    fn incoming(&self) -> impl Iterator<Item = &Incoming> {
        self.over
            .iter()
            .chain(&self.dropped)
            .filter_map(|drag| match &drag.files {
                DraggedFiles::Coming(incoming) => Some(incoming),
                DraggedFiles::Known(_) => None,
            })
            .chain(self.pastes.iter().map(|(_, incoming)| incoming))
    }

    /// Returns the time until the next deadline, if any.
    fn timeout(&self) -> Option<Timespec> {
        let sending = self.sending.iter().map(Outgoing::deadline);
        let next = self
            .incoming()
            .map(Incoming::deadline)
            .chain(sending)
            .min()?;
        let left = next.saturating_duration_since(Instant::now());
        // Rounded up; otherwise the last millisecond would be a busy loop.
        (left + std::time::Duration::from_millis(1)).try_into().ok()
    }

    /// Continues all transfers.
    fn advance(&mut self) {
        let now = Instant::now();
        let on_event = &self.on_event;
        self.sending.retain_mut(|outgoing| outgoing.advance(now));
        self.pastes.retain_mut(|(target, incoming)| {
            let Some(data) = incoming.advance(now) else {
                return true;
            };
            on_event(DeviceEvent::Pasted(*target, pasted(data)));
            false
        });
        if let Some(drag) = &mut self.over
            && let Some(answered) = drag.advance(now)
            && let DraggedFiles::Known(dragged) = &drag.files
        {
            // Refused only if the source has answered: some programs provide the list only after a
            // drop.
            if answered && dragged.is_rejected() {
                drag.offer.0.accept(drag.serial, None);
            }
            on_event(DeviceEvent::Over(dragged.clone()));
        }
        if let Some(mut drag) = self.dropped.take() {
            let _answered = drag.advance(now);
            if let DraggedFiles::Known(dragged) = &drag.files {
                if !dragged.paths.is_empty() {
                    drag.finish();
                }
                on_event(DeviceEvent::Dropped(dragged.clone()));
            } else {
                self.dropped = Some(drag);
            }
        }
    }

    fn answer(&mut self, request: Request, queue: &QueueHandle<Self>) {
        match request {
            Request::Copy(content) => self.copy(content, queue),
            Request::Paste(target) => self.paste(target),
        }
    }

    fn copy(&mut self, content: Content, queue: &QueueHandle<Self>) {
        let source = self.serial.map(|serial| {
            let source = self.manager.create_data_source(queue, content.clone());
            for mime_type in content.types() {
                source.offer((*mime_type).to_owned());
            }
            // The previous source receives `Cancelled` and is destroyed then.
            self.device.set_selection(Some(&source), serial);
            source
        });
        self.copied = Some(Copied { content, source });
    }

    fn paste(&mut self, target: PasteTarget) {
        if let Some(copied) = &self.copied {
            let text = match &copied.content {
                Content::Text(text) => text.as_ref().to_owned(),
                // An image has no text.
                Content::Png(_) => String::new(),
            };
            (self.on_event)(DeviceEvent::Pasted(target, Ok(text)));
            return;
        }
        let offer = self.clipboard.as_ref();
        let best = offer.and_then(|offer| Some((offer, TEXT_TYPES.get(offer.offered().text?)?)));
        let Some((offer, mime_type)) = best else {
            (self.on_event)(DeviceEvent::Pasted(target, Ok(String::new())));
            return;
        };
        // A repeated request gets one answer.
        self.pastes.retain(|(other, _)| *other != target);
        match offer.receive(mime_type, MAX_PASTE_BYTES) {
            Ok(incoming) => self.pastes.push((target, incoming)),
            Err(error) => (self.on_event)(DeviceEvent::Pasted(target, Err(error.to_string()))),
        }
    }

    /// Creates the seat's new input devices and releases the removed ones.
    fn take_devices(&mut self, there: Capability, queue: Option<&QueueHandle<Self>>) {
        if !there.contains(Capability::Keyboard) {
            let gone = self.keyboard.take();
            if let Some(keyboard) = gone.filter(|keyboard| keyboard.version() >= 3) {
                keyboard.release();
            }
        }
        if !there.contains(Capability::Pointer) {
            let gone = self.pointer.take();
            if let Some(pointer) = gone.filter(|pointer| pointer.version() >= 3) {
                pointer.release();
            }
        }
        let Some(queue) = queue else {
            return;
        };
        if there.contains(Capability::Keyboard) && self.keyboard.is_none() {
            self.keyboard = Some(self.seat.get_keyboard(queue, ()));
        }
        if there.contains(Capability::Pointer) && self.pointer.is_none() {
            self.pointer = Some(self.seat.get_pointer(queue, ()));
        }
    }

    /// Handles data that is dragged into the window.
    fn enter(&mut self, serial: u32, offer: Offer) {
        if !offer.offered().has_uri_list {
            offer.0.accept(serial, None);
            let dragged = Dragged::no_file();
            (self.on_event)(DeviceEvent::Over(dragged.clone()));
            self.over = Some(Drag {
                offer,
                serial,
                files: DraggedFiles::Known(dragged),
            });
            return;
        }
        offer.0.accept(serial, Some(URI_LIST.to_owned()));
        if offer.0.version() >= 3 {
            // Never a move, after which the other program would delete the file.
            offer.0.set_actions(DndAction::Copy, DndAction::Copy);
        }
        // Without files, the window shows its generic text until the names arrive.
        (self.on_event)(DeviceEvent::Over(Dragged::default()));
        let files = match offer.receive(URI_LIST, MAX_LIST_BYTES) {
            Ok(incoming) => DraggedFiles::Coming(incoming),
            Err(error) => DraggedFiles::Known(dragged(Err(error))),
        };
        self.over = Some(Drag {
            offer,
            serial,
            files,
        });
    }
}

impl Drag {
    /// Continues the transfer. Once the files are known, returns `true` if the other program
    /// answered.
    fn advance(&mut self, now: Instant) -> Option<bool> {
        let DraggedFiles::Coming(incoming) = &mut self.files else {
            return None;
        };
        let data = incoming.advance(now)?;
        let answered = data.is_ok();
        self.files = DraggedFiles::Known(dragged(data));
        Some(answered)
    }

    /// Handles a drop on the window.
    fn into_dropped(mut self) -> Self {
        // Some programs provide the list only now.
        if let DraggedFiles::Known(dragged) = &self.files
            && dragged.paths.is_empty()
            && let Ok(incoming) = self.offer.receive(URI_LIST, MAX_LIST_BYTES)
        {
            self.files = DraggedFiles::Coming(incoming);
        }
        self
    }

    /// Reports that the drop was accepted.
    fn finish(&self) {
        let can_finish = self.offer.0.version() >= 3;
        if can_finish && self.offer.offered().action == Some(DndAction::Copy) {
            self.offer.0.finish();
        }
    }
}

/// Returns the files of a URI list, or the refusal with its reason.
fn dragged(data: Result<Vec<u8>, TransferError>) -> Dragged {
    data.map_or_else(Dragged::failed, |bytes| Dragged::of_list(&bytes))
}

/// Converts clipboard data to text.
fn pasted(data: Result<Vec<u8>, TransferError>) -> Pasted {
    data.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .map_err(|error| error.to_string())
}

impl Dispatch<WlDataDevice, ()> for Worker {
    fn event(
        worker: &mut Self,
        _: &WlDataDevice,
        event: wl_data_device::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        use wl_data_device::Event;
        match event {
            // The title bar drawn by winit is a surface too; drops on it are accepted as well.
            Event::Enter { serial, id, .. } => {
                worker.over = None;
                if let Some(offer) = id {
                    worker.enter(serial, Offer(offer));
                }
            }
            // The compositor may send this after a drop too.
            Event::Leave if worker.over.take().is_some() => (worker.on_event)(DeviceEvent::Left),
            Event::Drop => worker.dropped = worker.over.take().map(Drag::into_dropped),
            Event::Selection { id } => worker.clipboard = id.map(Offer),
            _ => {}
        }
    }

    event_created_child!(Self, WlDataDevice, [
        wl_data_device::EVT_DATA_OFFER_OPCODE => (WlDataOffer, OfferData::default()),
    ]);
}

impl Dispatch<WlDataOffer, OfferData> for Worker {
    fn event(
        _: &mut Self,
        _: &WlDataOffer,
        event: wl_data_offer::Event,
        data: &OfferData,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        use wl_data_offer::Event;
        let mut offered = data.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Offer { mime_type } if mime_type == URI_LIST => offered.has_uri_list = true,
            Event::Offer { mime_type } => {
                let rank = TEXT_TYPES.iter().position(|known| *known == mime_type);
                offered.text = [offered.text, rank].into_iter().flatten().min();
            }
            Event::Action { dnd_action } => offered.action = dnd_action.into_result().ok(),
            _ => {}
        }
    }
}

impl Dispatch<WlDataSource, Content> for Worker {
    fn event(
        worker: &mut Self,
        source: &WlDataSource,
        event: wl_data_source::Event,
        content: &Content,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        use wl_data_source::Event;
        match event {
            Event::Send { fd, .. } if worker.sending.len() < MAX_OUTGOING => {
                match Outgoing::start(fd, content.bytes(), Instant::now()) {
                    Ok(outgoing) => worker.sending.push(outgoing),
                    Err(error) => log::debug!("what was copied cannot be sent: {error}"),
                }
            }
            // Another program copied data, or this one did again.
            Event::Cancelled => {
                let copied = worker.copied.as_ref();
                if copied.is_some_and(|copied| copied.source.as_ref() == Some(source)) {
                    worker.copied = None;
                }
                source.destroy();
            }
            _ => {}
        }
    }
}

impl Dispatch<WlSeat, ()> for Worker {
    fn event(
        worker: &mut Self,
        _: &WlSeat,
        event: wl_seat::Event,
        (): &(),
        _: &Connection,
        queue: &QueueHandle<Self>,
    ) {
        if let wl_seat::Event::Capabilities {
            capabilities: WEnum::Value(there),
        } = event
        {
            worker.take_devices(there, Some(queue));
        }
    }
}

impl Dispatch<WlKeyboard, ()> for Worker {
    fn event(
        worker: &mut Self,
        _: &WlKeyboard,
        event: wl_keyboard::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        use wl_keyboard::Event;
        if let Event::Enter { serial, .. } | Event::Key { serial, .. } = event {
            worker.serial = Some(serial);
        }
    }
}

impl Dispatch<WlPointer, ()> for Worker {
    fn event(
        worker: &mut Self,
        _: &WlPointer,
        event: wl_pointer::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let wl_pointer::Event::Button { serial, .. } = event {
            worker.serial = Some(serial);
        }
    }
}

impl Dispatch<WlRegistry, GlobalListContents> for Worker {
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

delegate_noop!(Worker: WlDataDeviceManager);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_lists_are_reported() {
        let late = dragged(Err(TransferError::NoAnswer));
        assert!(
            late.refusal
                .unwrap()
                .contains("did not answer within 5 seconds")
        );
    }
}
