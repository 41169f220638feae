//! Ctrl+C in the terminal that the window was opened from, and whatever else asks the program to end: what
//! was begun is then removed, as when the window is closed.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level::pipe};

/// Tells, from a thread of its own, when the system asks the program to end. The second time it ends at
/// once.
pub(super) fn listen(end: impl Fn(()) + Send + 'static) {
    if let Err(error) = try_to_listen(end) {
        // Then the program ends without having been told, and a temporary file may stay.
        log::warn!("signals are not heard: {error}");
    }
}

fn try_to_listen(end: impl Fn(()) + Send + 'static) -> io::Result<()> {
    let (mut heard, told) = UnixStream::pair()?;
    let was_asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_default(signal, Arc::clone(&was_asked))?;
        flag::register(signal, Arc::clone(&was_asked))?;
        pipe::register(signal, told.try_clone()?)?;
    }
    let listen = move || {
        while heard.read_exact(&mut [0]).is_ok() {
            end(());
        }
    };
    thread::Builder::new().spawn(listen)?;
    Ok(())
}
