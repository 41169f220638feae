//! Drops and the clipboard on Wayland, through a data device of the viewer. It can be removed once
//! a release of winit supports drops and egui-winit uses it. The pull request 4571 of winit adds
//! that for 0.31.
//!
//! Several data devices in one program do not work everywhere: some compositors send drops only to
//! the first or the newest one, and some then lose the clipboard. egui-winit would create one for
//! the clipboard. It is built without, and [`super::clipboard`] uses this one.
//!
//! The device has its own queue and thread on winit's connection, because winit's queue is not
//! accessible. The thread waits for all of its pipes together, each with a deadline. So other
//! programs cannot block it, and the window never waits.

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

/// Error in creating a data device.
#[derive(Debug, Error)]
pub(crate) enum DeviceError {
    /// The compositor did not answer.
    #[error(transparent)]
    Registry(#[from] GlobalError),
    /// The compositor does not support seats or data devices.
    #[error(transparent)]
    Missing(#[from] BindError),
    /// A thread or a pipe could not be created.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// Clipboard content of this program.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Text(Arc<str>),
    /// The bytes of a PNG file.
    Png(Arc<[u8]>),
}

/// A request to the thread.
enum Request {
    Copy(Content),
    Paste(PasteTarget),
}

/// The data device with its thread, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct DataDevice {
    requests: Sender<Request>,
    /// A byte wakes the thread; closing the pipe ends it.
    wake: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl DataDevice {
    /// Creates the data device of a display; `None` if the display is not Wayland. Its thread
    /// passes events to `on_event`.
    pub(crate) fn start(
        display: OwnedDisplayHandle,
        on_event: impl Fn(DeviceEvent) + Send + 'static,
    ) -> Result<Option<Self>, DeviceError> {
        let Ok(RawDisplayHandle::Wayland(raw)) = display.display_handle().map(|d| d.as_raw())
        else {
            return Ok(None);
        };
        #[expect(unsafe_code, reason = "winit shares its connection as a pointer alone")]
        // SAFETY: the connection is open as long as `display` lives. The thread drops `display`
        // after everything derived from the connection.
        let backend = unsafe { Backend::from_foreign_display(raw.display.as_ptr().cast()) };
        let connection = Connection::from_backend(backend);
        let (globals, mut queue) = globals::registry_queue_init(&connection)?;
        let (requests, received) = channel();
        let mut worker = Worker::new(
            connection,
            &globals,
            &queue.handle(),
            Box::new(on_event),
            received,
        )?;
        let (sleep, wake) = io::pipe()?;
        let thread = std::thread::Builder::new().name("wayland data".to_owned());
        let thread = thread.spawn(move || {
            if let Err(error) = worker.run(&mut queue, sleep) {
                // The window's own connection reports this to the user.
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

    /// Copies content to the clipboard.
    pub(crate) fn copy(&mut self, content: Content) {
        self.ask(Request::Copy(content));
    }

    /// Requests the text of the clipboard, which arrives as [`DeviceEvent::Pasted`].
    pub(crate) fn paste(&mut self, target: PasteTarget) {
        self.ask(Request::Paste(target));
    }

    fn ask(&mut self, request: Request) {
        // The thread ends early only if the display is gone.
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
