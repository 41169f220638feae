//! Handles Ctrl+C, SIGTERM and SIGHUP while files are written: the command stops within a second
//! and leaves no temporary file. A second signal ends it at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{io, thread};

#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use super::{CommandError, Status, output};
use mapscope_scene::saving;

const INTERRUPTED: &str = "interrupted; partial files were removed";
/// Polling interval of the thread that ends a busy command.
const POLL: Duration = Duration::from_millis(50);
/// Time for a command to stop regularly, which gives the best error message.
const GRACE: Duration = Duration::from_millis(500);

/// `true` once a signal has arrived after [`hold`].
static IS_INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Defers signals from now on, so that no write is interrupted. The command polls [`check`]. If it
/// is too busy, as in one long draw, the process ends after its temporary files are removed.
pub(super) fn hold() {
    IS_INTERRUPTED.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in signals() {
            let held = flag::register_conditional_default(signal, Arc::clone(&flag))
                .and_then(|_id| flag::register(signal, Arc::clone(&flag)));
            if let Err(error) = held {
                // The signal then ends the process at once, and a temporary file may remain.
                log::warn!("signal {signal}: {error}");
            }
        }
        let of_thread = Arc::clone(&flag);
        let spawned = thread::Builder::new().spawn(move || end_if_busy(&of_thread));
        if let Err(error) = spawned {
            log::warn!("a busy command ends only at the second signal: {error}");
        }
        flag
    });
}

/// The signals that ask a process to end.
fn signals() -> impl Iterator<Item = i32> {
    #[cfg(unix)]
    let hang_up = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    #[cfg(not(unix))]
    let hang_up = None;
    [SIGINT, SIGTERM].into_iter().chain(hang_up)
}

/// `true` if the process was started with the signal ignored, as `nohup` does, or if this cannot be
/// determined.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").ok();
    let ignored = status.as_deref().and_then(|status| {
        let mask = status
            .lines()
            .find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    ignored.is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Ends the process some time after a signal arrives.
fn end_if_busy(flag: &AtomicBool) {
    while !flag.load(Ordering::Relaxed) {
        thread::sleep(POLL);
    }
    thread::sleep(GRACE);
    saving::remove_temp_files();
    output::report_error(&CommandError::Argument(INTERRUPTED.to_owned()));
    low_level::exit(Status::Failed as i32)
}

/// Fails if the command should stop.
///
/// # Errors
/// If a signal has arrived.
pub(super) fn check() -> io::Result<()> {
    let flag = IS_INTERRUPTED.get();
    if flag.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        return Err(io::Error::other(INTERRUPTED));
    }
    Ok(())
}
