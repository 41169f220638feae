//! File access, mostly on threads: loading, searching, comparing and watching files, finding items, and
//! storing the settings. Also starts the user's editor.

pub(crate) mod attach;
pub(crate) mod compare;
pub(crate) mod drop_preview;
pub(crate) mod editor;
pub(crate) mod find;
pub(crate) mod loader;
pub(crate) mod search;
pub(crate) mod settings_file;
pub(crate) mod watch;
