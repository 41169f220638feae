//! `bench --reload`: from closing a saved file to the frame that a window presents.
//!
//! The file and the files that it uses are copied to a temporary folder, and a window shows the
//! copy. Two versions are saved in turn.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use super::{Stdout, Times};
use crate::commands::cli::{BenchArgs, display_name};
use crate::commands::json::{FrameTimes, ReloadOutput};
use crate::commands::{CommandError, Status, source};
use mapscope_scene::OpenOptions;

/// Time for a window to open, or to show a saved file.
const MAX_WAIT: Duration = Duration::from_mins(1);
/// Time between two saves. Files that have just changed are read again in any case.
const PAUSE: Duration = Duration::from_millis(500);
/// Time before the first save, for work that follows opening.
const QUIET: Duration = Duration::from_secs(3);

/// Measures saves of `version` over a file, or over one that it uses.
pub(super) fn run(
    args: &BenchArgs,
    file: &Path,
    version: &Path,
    options: &OpenOptions,
) -> Result<Status, CommandError> {
    let read = |path: &Path| std::fs::read(path).map_err(at(path));
    let over = args.over.as_deref().unwrap_or(file);
    let versions = [read(version)?, read(over)?];
    let copy = Copied::new(file, options)?;
    let saved = copy.path_of(over)?;
    let mut window = Window::open(&copy.path_of(file)?, copy.folder.path())?;
    window.wait_for("opened ")?;
    thread::sleep(QUIET);
    let mut times = Times::default();
    for save in 0..args.frames() {
        let bytes = &versions[save as usize % versions.len()];
        std::fs::write(&saved, bytes).map_err(at(&saved))?;
        let closed = Instant::now();
        times
            .0
            .push(window.wait_for("reloaded ")?.duration_since(closed));
        thread::sleep(PAUSE);
    }
    let [min, median, max] = times.sorted().ms();
    let output = ReloadOutput {
        file: display_name(file),
        saved: display_name(over),
        saves: args.frames(),
        reload_ms: FrameTimes { median, min, max },
    };
    let mut out = Stdout::lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &output).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        let ReloadOutput { saved, saves, .. } = output;
        writeln!(
            out,
            "{saved}: {median:.0} ms from save to frame, {min:.0} to {max:.0} ms in {saves} saves"
        )?;
    }
    Ok(Status::Done)
}

/// Copies of a file and of the files that it uses, at the same places below a temporary folder.
struct Copied {
    folder: tempfile::TempDir,
    /// The folder that contains all originals.
    root: PathBuf,
}

impl Copied {
    fn new(file: &Path, options: &OpenOptions) -> Result<Self, CommandError> {
        let opened = source::open(file, options)?;
        let used = opened.document.about().dependencies.iter();
        let all = [file].into_iter().chain(used.map(PathBuf::as_path));
        let all: Vec<PathBuf> = all.filter_map(|path| path.canonicalize().ok()).collect();
        let mut root = all.first().cloned().unwrap_or_default();
        while all
            .iter()
            .any(|path| path == &root || !path.starts_with(&root))
        {
            root.pop();
        }
        // Asset roots are known by the name of a folder in them, which may contain all files.
        root.pop();
        let folder = tempfile::tempdir().map_err(|error| window_error(&error))?;
        for path in &all {
            let to = folder.path().join(path.strip_prefix(&root).unwrap_or(path));
            let copied = std::fs::create_dir_all(to.parent().unwrap_or(&to));
            // A copy may be written even if the original may not.
            let bytes = copied.and_then(|()| std::fs::read(path));
            let written = bytes.and_then(|bytes| std::fs::write(&to, bytes));
            written.map_err(at(path))?;
        }
        Ok(Self { folder, root })
    }

    /// The copy of a file.
    fn path_of(&self, file: &Path) -> Result<PathBuf, CommandError> {
        let real = file.canonicalize().map_err(at(file))?;
        let below = real.strip_prefix(&self.root).ok();
        let copy = below.map(|below| self.folder.path().join(below));
        copy.filter(|copy| copy.is_file()).ok_or_else(|| {
            let file = file.display();
            CommandError::Argument(format!("--over {file}: expected a file that FILE uses"))
        })
    }
}

/// A window in another process, which writes its events.
struct Window {
    process: Child,
    events: Receiver<(Instant, String)>,
}

impl Window {
    fn open(file: &Path, settings: &Path) -> Result<Self, CommandError> {
        let mut process =
            Command::new(std::env::current_exe().map_err(|error| window_error(&error))?)
                .arg("view")
                .arg(file)
                .env("MAPSCOPE_EVENTS", "1")
                .env("XDG_CONFIG_HOME", settings)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .map_err(|error| window_error(&error))?;
        let lines = process.stderr.take();
        let (sender, events) = mpsc::channel();
        thread::spawn(move || {
            let lines = lines
                .into_iter()
                .flat_map(|lines| BufReader::new(lines).lines());
            for line in lines.map_while(Result::ok) {
                // The other end may be gone.
                let _ = sender.send((Instant::now(), line));
            }
        });
        Ok(Self { process, events })
    }

    /// Waits for an event, and returns when it came.
    fn wait_for(&mut self, event: &str) -> Result<Instant, CommandError> {
        let end = Instant::now() + MAX_WAIT;
        let mut last = String::new();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Ok((at, line)) = self.events.recv_timeout(left) else {
                let message = format!("the window did not show the file: {last}");
                return Err(CommandError::Window(message));
            };
            if line
                .strip_prefix("event: ")
                .is_some_and(|line| line.starts_with(event))
            {
                return Ok(at);
            }
            last = line;
        }
    }
}

/// Names a file in an error of the system.
fn at(path: &Path) -> impl FnOnce(io::Error) -> CommandError {
    let path = path.to_owned();
    move |source| CommandError::Write { path, source }
}

fn window_error(error: &io::Error) -> CommandError {
    CommandError::Window(format!("the window could not be opened: {error}"))
}

impl Drop for Window {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
