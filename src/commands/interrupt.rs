//! Ctrl+C while files are written: what was begun is given up, and no half of it stays.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGINT, SIGTERM};

/// Whether Ctrl+C was pressed since it is held.
static IS_INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on whoever writes asks [`check`], and the process is not ended in the middle of it.
pub(super) fn hold() {
    IS_INTERRUPTED.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            if let Err(error) = signal_hook::flag::register(signal, Arc::clone(&flag)) {
                // Then it ends the process at once, and a temporary file may stay.
                log::warn!("signal {signal}: {error}");
            }
        }
        flag
    });
}

/// Says whether to go on.
///
/// # Errors
/// When Ctrl+C was pressed.
pub(super) fn check() -> io::Result<()> {
    let flag = IS_INTERRUPTED.get();
    if flag.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        return Err(io::Error::other(
            "interrupted; no file that was begun was kept",
        ));
    }
    Ok(())
}
