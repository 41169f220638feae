//! Runs the program in a temporary folder.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Result of a run of the program.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    pub(crate) fn of(mut command: Command) -> Self {
        let output = command.output().unwrap();
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Fails unless the program exited with this status and did not panic.
    #[track_caller]
    pub(crate) fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self:?}");
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// A temporary folder of files for the program.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Runs the program in the folder; arguments are split at spaces.
    pub(crate) fn run(&self, args: &str) -> Outcome {
        self.run_args(args.split_whitespace())
    }

    pub(crate) fn run_args<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Outcome {
        let mut command = self.command();
        command.args(args);
        Outcome::of(command)
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mapscope"));
        command.current_dir(self.0.path()).stdin(Stdio::null());
        // A test must never open a window.
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command
    }
}
