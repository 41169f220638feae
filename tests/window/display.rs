//! An X server for one test.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use mapscope_testdata::{Need, skip};
use tempfile::TempDir;

use super::program::{Host, give_folders};

/// A running X server without a window manager, and folders for the programs that use it.
#[derive(Debug)]
pub(crate) struct Display {
    server: Child,
    name: String,
    home: TempDir,
}

impl Display {
    /// Starts a server with a screen of this size in pixels. Returns `None` if Xvfb is not
    /// installed; the test must then be skipped.
    pub(crate) fn start(size: [u32; 2]) -> Option<Self> {
        let home = tempfile::tempdir().unwrap();
        // The server picks a free number and prints it when it is ready.
        let server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-nolisten",
                "tcp",
                "-noreset",
                "-screen",
                "0",
            ])
            .arg(format!("{}x{}x24", size[0], size[1]))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let server = match server {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                skip(Need::Display, "Xvfb is not installed");
                return None;
            }
            server => server.unwrap(),
        };
        let mut display = Self {
            server,
            name: String::new(),
            home,
        };
        let mut number = String::new();
        let stdout = display.server.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut number).unwrap();
        if number.trim().is_empty() {
            let mut said = String::new();
            let mut stderr = display.server.stderr.take().unwrap();
            stderr.read_to_string(&mut said).unwrap();
            panic!("Xvfb did not start: {said}");
        }
        // Its stderr is not read from here on; the server must not block on it.
        drop(display.server.stderr.take());
        display.name = format!(":{}", number.trim());
        Some(display)
    }

    /// The display name, such as `:99`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Kills the server, as in a crash.
    pub(crate) fn kill(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }

    /// A temporary folder with the lifetime of the display.
    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }
}

impl Host for Display {
    fn apply_to(&self, command: &mut Command) {
        command
            .env("DISPLAY", &self.name)
            // The window library uses Wayland if these are set.
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET");
        give_folders(command, self.home());
    }

    fn server_pid(&self) -> u32 {
        self.server.id()
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // The server may already have ended.
        let _ended = self.server.kill();
        let _status = self.server.wait();
    }
}
