//! Data transfer through pipes. The program at the other end may be slow, send endless data, or
//! hang.

use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::io::ioctl_fionbio;
use thiserror::Error;

use mapscope_scene::system_reason;

/// Maximum time for the other end to send all of its data, or to accept some of ours.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(5);
const MIB: usize = 1 << 20;

/// Failure of an incoming transfer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum TransferError {
    /// It exceeds the limit, in bytes.
    #[error("the data is larger than {} MiB", .0 / MIB)]
    TooMuch(usize),
    /// It did not arrive in time.
    #[error("the source program did not answer within {} seconds", TRANSFER_TIMEOUT.as_secs())]
    NoAnswer,
    /// The pipe failed.
    #[error("the data cannot be read: {0}")]
    Broken(String),
}

impl From<io::Error> for TransferError {
    fn from(error: io::Error) -> Self {
        Self::Broken(system_reason(&error, "pipe"))
    }
}

/// An incoming transfer. It never blocks: [`Self::advance`] reads the available data.
#[derive(Debug)]
pub(super) struct Incoming {
    pipe: PipeReader,
    bytes: Vec<u8>,
    limit: usize,
    deadline: Instant,
}

impl Incoming {
    /// Starts a transfer of at most `limit` bytes; returns the write end of the pipe for the
    /// sender.
    pub(super) fn start(limit: usize, now: Instant) -> io::Result<(Self, PipeWriter)> {
        let (pipe, writer) = io::pipe()?;
        // Only this end is non-blocking: the sender need not expect that.
        ioctl_fionbio(&pipe, true)?;
        let incoming = Self {
            pipe,
            bytes: Vec::new(),
            limit,
            deadline: now + TRANSFER_TIMEOUT,
        };
        Ok((incoming, writer))
    }

    /// Reads the available data. Returns the result once the transfer is complete or has failed.
    pub(super) fn advance(&mut self, now: Instant) -> Option<Result<Vec<u8>, TransferError>> {
        let mut part = [0; 16 << 10];
        loop {
            match self.pipe.read(&mut part) {
                Ok(0) => return Some(Ok(std::mem::take(&mut self.bytes))),
                Ok(count) if self.bytes.len() + count > self.limit => {
                    return Some(Err(TransferError::TooMuch(self.limit)));
                }
                Ok(count) => self.bytes.extend_from_slice(&part[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return (now >= self.deadline).then_some(Err(TransferError::NoAnswer));
                }
                Err(error) => return Some(Err(error.into())),
            }
        }
    }

    /// Returns when the transfer is given up.
    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }
}

impl AsFd for Incoming {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

/// An outgoing transfer of copied data.
#[derive(Debug)]
pub(super) struct Outgoing {
    pipe: File,
    bytes: Arc<[u8]>,
    sent: usize,
    deadline: Instant,
}

impl Outgoing {
    /// Starts to send bytes to the reader of a pipe.
    pub(super) fn start(pipe: OwnedFd, bytes: Arc<[u8]>, now: Instant) -> io::Result<Self> {
        ioctl_fionbio(&pipe, true)?;
        Ok(Self {
            pipe: pipe.into(),
            bytes,
            sent: 0,
            deadline: now + TRANSFER_TIMEOUT,
        })
    }

    /// Sends as many bytes as the pipe accepts; returns `false` when the transfer has ended.
    pub(super) fn advance(&mut self, now: Instant) -> bool {
        loop {
            let left = self.bytes.get(self.sent..).unwrap_or_default();
            if left.is_empty() {
                return false;
            }
            match self.pipe.write(left) {
                Ok(count) => {
                    self.sent += count;
                    self.deadline = now + TRANSFER_TIMEOUT;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return now < self.deadline,
                // The reader has closed the pipe.
                Err(_) => return false,
            }
        }
    }

    /// Returns when the transfer is given up.
    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }
}

impl AsFd for Outgoing {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_given_when_the_other_end_is_done() {
        let now = Instant::now();
        let (mut incoming, mut writer) = Incoming::start(100, now).unwrap();
        assert_eq!(incoming.advance(now), None);
        writer.write_all(b"file:///a").unwrap();
        assert_eq!(incoming.advance(now), None);
        writer.write_all(b"%20b").unwrap();
        drop(writer);
        assert_eq!(incoming.advance(now), Some(Ok(b"file:///a%20b".to_vec())));
    }

    #[test]
    fn more_than_the_limit_is_refused_and_the_sender_is_stopped() {
        let now = Instant::now();
        let (mut incoming, mut writer) = Incoming::start(MIB, now).unwrap();
        // A clipboard of a hundred megabytes: its owner learns that the pipe is closed.
        let sender = std::thread::spawn(move || writer.write_all(&vec![b'x'; 100 << 20]));
        let answer = loop {
            if let Some(answer) = incoming.advance(now) {
                break answer;
            }
        };
        assert_eq!(answer, Err(TransferError::TooMuch(MIB)));
        drop(incoming);
        let stopped = sender.join().unwrap().unwrap_err();
        assert_eq!(stopped.kind(), ErrorKind::BrokenPipe);
    }

    #[test]
    fn unresponsive_senders_time_out() {
        let now = Instant::now();
        let (mut incoming, mut writer) = Incoming::start(100, now).unwrap();
        writer.write_all(b"file:///").unwrap();
        assert_eq!(incoming.advance(now + TRANSFER_TIMEOUT / 2), None);
        // A slow trickle of bytes does not extend the deadline.
        writer.write_all(b"a").unwrap();
        let later = incoming.deadline();
        assert_eq!(incoming.advance(later), Some(Err(TransferError::NoAnswer)));
    }

    #[test]
    fn a_text_larger_than_a_pipe_is_sent_as_it_is_read() {
        let now = Instant::now();
        let text: Arc<str> = "größer ".repeat(100_000).into();
        let (mut reader, writer) = io::pipe().unwrap();
        let mut outgoing = Outgoing::start(writer.into(), Arc::clone(&text).into(), now).unwrap();
        assert!(outgoing.advance(now), "a pipe does not hold that much");
        let reading = std::thread::spawn(move || {
            let mut read = String::new();
            reader.read_to_string(&mut read).map(|_| read)
        });
        while outgoing.advance(Instant::now()) {
            std::thread::yield_now();
        }
        drop(outgoing);
        assert!(reading.join().unwrap().unwrap() == *text);
    }

    #[test]
    fn unresponsive_readers_time_out() {
        let now = Instant::now();
        let (_reader, writer) = io::pipe().unwrap();
        let bytes = vec![b'x'; 1 << 20].into();
        let mut outgoing = Outgoing::start(writer.into(), bytes, now).unwrap();
        assert!(outgoing.advance(now));
        assert!(!outgoing.advance(outgoing.deadline()));
    }
}
