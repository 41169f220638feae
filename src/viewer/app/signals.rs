//! Signals: Ctrl+C in the terminal of the window, the end of that terminal, and other requests to
//! end the program. Partial files are removed as when the window is closed.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::{fs, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level::pipe};

/// Calls `end` in a separate thread when the system requests the end of the program. A second
/// request ends it at once.
pub(super) fn listen(end: impl Fn(()) + Send + 'static) {
    if let Err(error) = try_listen(end) {
        // Signals then end the program directly, and a temporary file may remain.
        log::warn!("signals are not heard: {error}");
    }
}

fn try_listen(end: impl Fn(()) + Send + 'static) -> io::Result<()> {
    let (mut reader, writer) = UnixStream::pair()?;
    let was_requested = Arc::new(AtomicBool::new(false));
    let hangup = Some(SIGHUP).filter(|_| !outlives_terminal());
    for signal in [SIGINT, SIGTERM].into_iter().chain(hangup) {
        flag::register_conditional_default(signal, Arc::clone(&was_requested))?;
        flag::register(signal, Arc::clone(&was_requested))?;
        pipe::register(signal, writer.try_clone()?)?;
    }
    let listen = move || {
        while reader.read_exact(&mut [0]).is_ok() {
            end(());
        }
    };
    thread::Builder::new().spawn(listen)?;
    Ok(())
}

/// `true` if the program was started to survive its terminal, as by `nohup`.
fn outlives_terminal() -> bool {
    // Other systems do not have this file: there it ends with its terminal.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .map(|mask| u64::from_str_radix(mask.trim(), 16));
    ignored.is_some_and(|mask| mask.is_ok_and(|mask| mask & (1 << (SIGHUP - 1)) != 0))
}
