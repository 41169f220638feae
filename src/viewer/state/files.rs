//! The open file, and what goes with it.

use super::OpenFile;
use super::folder::Playlist;
use super::history::History;
use super::reload::Wish;
use crate::viewer::panels::OnDisk;

/// The open file, and what goes with it.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// The open file.
    pub open: Option<OpenFile>,
    /// The files that were open before.
    pub history: History,
    /// The files that go with the open one.
    pub playlist: Option<Playlist>,
    /// The open file on disk, while a better version of it is in view.
    pub on_disk: Option<OnDisk>,
    /// Whether the user knows of that.
    pub on_disk_dismissed: bool,
    /// What was looked at before a version of the file came that does not have it.
    pub wish: Option<Wish>,
    /// How many loads there were.
    pub versions: u64,
}
