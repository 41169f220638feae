//! Work on files, most of it on threads: loading, searching, comparing and watching them, and keeping
//! the settings.

pub(crate) mod settings_file;
pub(crate) mod watch;
