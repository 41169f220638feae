//! How far a command is: a line at the bottom of a terminal, which goes away.

use std::cell::Cell;
use std::io::{self, IsTerminal, Write as _};
use std::time::{Duration, Instant};

/// How often the line changes at most.
const EVERY: Duration = Duration::from_millis(100);

/// The line, which is there only where standard error is a terminal. Whoever writes to the terminal
/// clears it first.
#[derive(Debug)]
pub(super) struct ProgressLine {
    is_on: bool,
    drawn: Cell<Option<Instant>>,
    is_shown: Cell<bool>,
}

impl ProgressLine {
    /// On standard error.
    pub(super) fn new() -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        Self {
            is_on: io::stderr().is_terminal() && !is_dumb,
            drawn: Cell::new(None),
            is_shown: Cell::new(false),
        }
    }

    /// Shows a text in place of the last one, unless that is very new.
    pub(super) fn show(&self, text: impl FnOnce() -> String) {
        let is_due = |drawn: Instant| drawn.elapsed() >= EVERY;
        if self.is_on && self.drawn.get().is_none_or(is_due) {
            write(&format!("\r{}\x1b[K", text()));
            self.drawn.set(Some(Instant::now()));
            self.is_shown.set(true);
        }
    }

    /// Begins another kind of work, whose first text is shown however new the last one is.
    pub(super) fn begin_stage(&self) {
        self.drawn.set(None);
    }

    /// Takes it away until it is shown again.
    pub(super) fn clear(&self) {
        if self.is_shown.replace(false) {
            write("\r\x1b[K");
        }
    }
}

fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    // A user whose terminal is gone sees no progress.
    let _unseen = stderr.write_all(text.as_bytes());
    let _unseen = stderr.flush();
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
