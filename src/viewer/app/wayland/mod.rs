//! Drops and the clipboard on Wayland, through one data device of our own. It can go away when a
//! release of winit has drops (its pull request 4571 does it for 0.31) and egui-winit uses it.
//!
//! Several data devices in one program do not work everywhere: some compositors give drops to the
//! first or the newest alone, and some then forget the clipboard. egui-winit would make one for the
//! clipboard; it is built without, and [`super::clipboard`] uses this one.
//!
//! The device has a queue and a thread of its own on winit's connection, as winit does not let
//! others add to its queue. Whatever other programs do, the thread waits for nothing else than all
//! of its pipes together, each until a deadline, so that the window never does.

mod transfer;
mod worker;

use std::io::{self, PipeWriter, Write as _};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use thiserror::Error;
use wayland_backend::client::Backend;
use wayland_client::globals::{BindError, GlobalError};
use wayland_client::{Connection, globals};
use winit::event_loop::OwnedDisplayHandle;
use winit::raw_window_handle::{HasDisplayHandle as _, RawDisplayHandle};

use super::clipboard::PasteTarget;
use super::drops::DeviceEvent;
use worker::Worker;

/// Why there is no data device.
#[derive(Debug, Error)]
pub(crate) enum DeviceError {
    /// The compositor did not answer.
    #[error(transparent)]
    Registry(#[from] GlobalError),
    /// The compositor has no seats or no data devices.
    #[error(transparent)]
    Missing(#[from] BindError),
    /// There is no thread or no pipe.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// What this program puts on the clipboard.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Text(Arc<str>),
    /// The bytes of a PNG file.
    Png(Arc<[u8]>),
}

/// What the thread is asked for.
enum Request {
    Copy(Content),
    Paste(PasteTarget),
}

/// The data device and its thread, which ends with it.
#[derive(Debug)]
pub(crate) struct DataDevice {
    requests: Sender<Request>,
    /// A byte wakes the thread, the end of the pipe ends it.
    wake: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl DataDevice {
    /// Makes the device of a display; `None` if it is no Wayland display. Its thread tells `tell`
    /// what happens.
    pub(crate) fn start(
        display: OwnedDisplayHandle,
        tell: impl Fn(DeviceEvent) + Send + 'static,
    ) -> Result<Option<Self>, DeviceError> {
        let Ok(RawDisplayHandle::Wayland(raw)) = display.display_handle().map(|d| d.as_raw())
        else {
            return Ok(None);
        };
        #[expect(unsafe_code, reason = "winit shares its connection as a pointer alone")]
        // SAFETY: the connection is open as long as `display` lives, which the thread drops after
        // everything that it made of this.
        let backend = unsafe { Backend::from_foreign_display(raw.display.as_ptr().cast()) };
        let connection = Connection::from_backend(backend);
        let (globals, mut queue) = globals::registry_queue_init(&connection)?;
        let (requests, asked) = channel();
        let mut worker = Worker::new(connection, &globals, &queue.handle(), Box::new(tell), asked)?;
        let (sleep, wake) = io::pipe()?;
        let thread = std::thread::Builder::new().name("wayland data".to_owned());
        let thread = thread.spawn(move || {
            if let Err(error) = worker.run(&mut queue, sleep) {
                // The window's own connection says so to the user.
                log::debug!("drops and clipboard end: {error}");
            }
            drop((worker, queue, globals));
            drop(display);
        })?;
        Ok(Some(Self {
            requests,
            wake: Some(wake),
            thread: Some(thread),
        }))
    }

    /// Puts something on the clipboard.
    pub(crate) fn copy(&mut self, content: Content) {
        self.ask(Request::Copy(content));
    }

    /// Asks for the text on the clipboard, which comes with [`DeviceEvent::Pasted`].
    pub(crate) fn paste(&mut self, target: PasteTarget) {
        self.ask(Request::Paste(target));
    }

    fn ask(&mut self, request: Request) {
        // The thread is gone only when the display is.
        let _gone = self.requests.send(request);
        if let Some(wake) = &mut self.wake {
            let _gone = wake.write(&[0]);
        }
    }
}

impl Drop for DataDevice {
    fn drop(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}
