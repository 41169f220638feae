//! The program under test: start, output, and end.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// A generous timeout for a slow machine with a software renderer and other tests in parallel.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Time without events after which all work counts as done.
const IDLE_TIME: Duration = Duration::from_millis(250);
/// Mesa's shader cache. All programs share it, although their homes differ, because compiling
/// shaders takes up to half of the time of a test.
const SHADERS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/shaders");

/// A display that the program can run on.
pub(crate) trait Host {
    /// Gives a program this display and its own folders.
    fn apply_to(&self, command: &mut Command);

    /// Process that displays the program's window.
    fn server_pid(&self) -> u32;
}

/// Gives a program its own folders below `home`.
pub(crate) fn give_folders(command: &mut Command, home: &Path) {
    command.env("HOME", home);
    for (variable, folder) in [
        ("XDG_RUNTIME_DIR", "runtime"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_DATA_HOME", "data"),
        ("XDG_STATE_HOME", "state"),
    ] {
        let folder = home.join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        command.env(variable, folder);
    }
}

/// A running program and its output.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    server_pid: u32,
    arriving: Receiver<String>,
    /// All lines of stdout and stderr so far.
    lines: Vec<String>,
    /// Number of lines that a test has already consumed.
    read: usize,
}

/// A rectangle of the window, in physical pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

impl Rect {
    /// The point at these fractions of the width and height.
    pub(crate) fn at(self, across: f32, down: f32) -> [i32; 2] {
        [
            self.x + (self.width as f32 * across) as i32,
            self.y + (self.height as f32 * down) as i32,
        ]
    }

    pub(crate) fn center(self) -> [i32; 2] {
        self.at(0.5, 0.5)
    }
}

impl Program {
    /// Starts Mapscope on a display.
    pub(crate) fn start<A: AsRef<OsStr>>(
        display: &impl Host,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self::start_with(display, arguments, &[])
    }

    /// Starts Mapscope on a display, with more environment variables.
    pub(crate) fn start_with<A: AsRef<OsStr>>(
        display: &impl Host,
        arguments: impl IntoIterator<Item = A>,
        variables: &[(&str, &str)],
    ) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mapscope"));
        display.apply_to(&mut command);
        command
            .args(arguments)
            .env("MAPSCOPE_EVENTS", "1")
            .env("MESA_SHADER_CACHE_DIR", SHADERS)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, arriving) = channel();
        forward(child.stdout.take().unwrap(), sender.clone());
        forward(child.stderr.take().unwrap(), sender);
        Self {
            child,
            server_pid: display.server_pid(),
            arriving,
            lines: Vec::new(),
            read: 0,
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal, such as `TERM`, to the program.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.pid().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(sent.unwrap().success());
    }

    /// Writes lines to the program's stdin.
    pub(crate) fn tell(&mut self, lines: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(lines.as_bytes()).unwrap();
    }

    /// Waits for the next event that begins with `beginning` and returns the rest of its line.
    pub(crate) fn wait_for(&mut self, beginning: &str) -> String {
        self.wait_until(beginning, |event| {
            event.strip_prefix(beginning).map(str::to_owned)
        })
    }

    /// Waits for the next event for which `take` returns a value.
    pub(crate) fn wait_until<T>(&mut self, what: &str, take: impl Fn(&str) -> Option<T>) -> T {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            while let Some(line) = self.lines.get(self.read) {
                self.read += 1;
                if let Some(found) = line.strip_prefix("event: ").and_then(&take) {
                    return found;
                }
            }
            match self
                .arriving
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(line) => self.lines.push(line),
                Err(RecvTimeoutError::Timeout) => {
                    panic!(
                        "waited for `{what}` in vain; the program said:\n{}",
                        self.said()
                    )
                }
                Err(RecvTimeoutError::Disconnected) => {
                    panic!(
                        "the program ended before `{what}`; it said:\n{}",
                        self.said()
                    )
                }
            }
        }
    }

    /// Collects output for this duration. Returns all lines since the last read.
    pub(crate) fn listen(&mut self, duration: Duration) -> &[String] {
        let deadline = Instant::now() + duration;
        while let Ok(line) = self
            .arriving
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            self.lines.push(line);
        }
        let heard = &self.lines[self.read..];
        self.read = self.lines.len();
        heard
    }

    /// Waits for a frame, and then until the program and its display are idle. Returns the output
    /// meanwhile.
    pub(crate) fn wait_until_drawn(&mut self) -> &[String] {
        let start = self.read;
        self.wait_for("frame ");
        self.wait_until_idle();
        &self.lines[start..]
    }

    /// Waits until the program and its display are idle, after an event that is printed together
    /// with its frame.
    pub(crate) fn wait_until_idle(&mut self) {
        let deadline = Instant::now() + TIMEOUT;
        let mut quiet_since = Instant::now();
        while quiet_since.elapsed() < IDLE_TIME {
            let heard = !self.listen(Duration::from_millis(10)).is_empty();
            // On a busy machine, a process that waits for a processor is as silent as an idle one.
            if heard || self.is_runnable(self.pid()) || self.is_runnable(self.server_pid) {
                quiet_since = Instant::now();
            }
            assert!(
                Instant::now() < deadline,
                "it draws on and on:\n{}",
                self.said()
            );
        }
    }

    /// `true` if a thread of a process runs or is ready to run.
    fn is_runnable(&self, pid: u32) -> bool {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task"));
        let Ok(tasks) = tasks else {
            panic!(
                "process {pid} has ended; the program said:\n{}",
                self.said()
            );
        };
        // Threads come and go during the listing.
        tasks.flatten().any(|task| {
            stat_fields(&task.path()).is_some_and(|fields| matches!(&*fields[0], "R" | "D"))
        })
    }

    /// The latest reported rectangle of a named part of the window.
    pub(crate) fn rect(&mut self, name: &str) -> Rect {
        self.lines.extend(self.arriving.try_iter());
        let rect = self.lines.iter().rev().find_map(|line| {
            let numbers = line.strip_prefix("event: rect ")?.strip_prefix(name)?;
            let numbers = numbers.strip_prefix(' ')?;
            let mut numbers = numbers.split(' ').map(|n| n.parse().unwrap());
            Some(Rect {
                x: numbers.next()?,
                y: numbers.next()?,
                width: numbers.next()?,
                height: numbers.next()?,
            })
        });
        rect.unwrap_or_else(|| {
            panic!(
                "nothing is called `{name}`; the program said:\n{}",
                self.said()
            )
        })
    }

    /// `true` if the program still runs.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the program to exit.
    pub(crate) fn wait_for_end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(
                Instant::now() < deadline,
                "it does not end:\n{}",
                self.said()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// All output as one text. Consecutive frame events are reduced to the last one.
    pub(crate) fn said(&self) -> String {
        let is_frame = |line: &str| line.starts_with("event: frame ");
        let mut said: Vec<&str> = Vec::new();
        for line in &self.lines {
            if is_frame(line) && said.last().is_some_and(|last| is_frame(last)) {
                said.pop();
            }
            said.push(line);
        }
        said.join("\n")
    }

    /// CPU time that the program has used, in hundredths of a second.
    pub(crate) fn cpu_ticks(&self) -> u64 {
        let process = PathBuf::from(format!("/proc/{}", self.pid()));
        let fields = stat_fields(&process).unwrap();
        // User and system time: fields 14 and 15 of the line.
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }
}

/// Fields of Linux's `stat` file of a process or thread, from the third field (the state) on. The
/// second is a name in parentheses.
fn stat_fields(process: &Path) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    let after_name = stat.rsplit_once(") ")?.1;
    Some(after_name.split(' ').map(str::to_owned).collect())
}

impl Drop for Program {
    fn drop(&mut self) {
        // The program may already have ended.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

/// Sends every line of a stream, from a separate thread.
fn forward(stream: impl Read + Send + 'static, lines: Sender<String>) {
    std::thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut line = Vec::new();
        while matches!(stream.read_until(b'\n', &mut line), Ok(1..)) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            if lines.send(text).is_err() {
                break;
            }
        }
    });
}
