//! Progress of a command: a temporary line at the bottom of a terminal.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write as _};
use std::time::{Duration, Instant};

/// Minimum interval between two updates of the line.
const EVERY: Duration = Duration::from_millis(100);

/// The line, which is visible only if standard error is a terminal. Clear it before any other
/// output to the terminal.
#[derive(Debug)]
pub(super) struct ProgressLine {
    is_on: bool,
    drawn: Cell<Option<Instant>>,
    is_shown: Cell<bool>,
}

impl ProgressLine {
    /// Creates a line on standard error.
    pub(super) fn new() -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        Self {
            is_on: io::stderr().is_terminal() && !is_dumb,
            drawn: Cell::new(None),
            is_shown: Cell::new(false),
        }
    }

    /// Replaces the text, unless the last one was shown very recently.
    pub(super) fn show(&self, text: impl FnOnce() -> String) {
        let is_due = |drawn: Instant| drawn.elapsed() >= EVERY;
        if self.is_on && self.drawn.get().is_none_or(is_due) {
            write(&format!("\r{}\x1b[K", text()));
            self.drawn.set(Some(Instant::now()));
            self.is_shown.set(true);
        }
    }

    /// Begins another stage; its first text is shown even if the last one is very recent.
    pub(super) fn begin_stage(&self) {
        self.drawn.set(None);
    }

    /// Removes the line until it is shown again.
    pub(super) fn clear(&self) {
        if self.is_shown.replace(false) {
            write("\r\x1b[K");
        }
    }
}

fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    // Ignore errors: progress is useless without a terminal.
    let _unseen = stderr.write_all(text.as_bytes());
    let _unseen = stderr.flush();
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
