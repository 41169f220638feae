//! Log messages of libraries, printed to standard error on request.

use std::io::Write as _;

use log::{LevelFilter, Log, Metadata, Record};

use super::output::printable;

struct StderrLog;

impl Log for StderrLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level()
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let (level, target) = (record.level(), record.target());
            let text = record.args().to_string();
            // Messages of libraries consist of lines; Mapscope's own may contain file names.
            let is_own = target.starts_with("mapscope");
            let lines = text.split(|c| c == '\n' && !is_own);
            let lines: Vec<_> = lines.map(printable).collect();
            // Ignore errors: a log that cannot be written has nowhere to report them.
            let _ignored = writeln!(std::io::stderr(), "{level} {target}: {}", lines.join("\n"));
        }
    }

    fn flush(&self) {}
}

/// Prints log messages when the environment variable `MAPSCOPE_LOG` names a level (`warn`,
/// `info`, `debug`, `trace`; anything else is `warn`).
pub fn log_to_stderr() {
    let Some(level) = std::env::var_os("MAPSCOPE_LOG") else {
        return;
    };
    let level = level.to_str().and_then(|level| level.parse().ok());
    if log::set_logger(&StderrLog).is_ok() {
        log::set_max_level(level.unwrap_or(LevelFilter::Warn));
    }
}
