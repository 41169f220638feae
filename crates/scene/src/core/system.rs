//! The system's file errors in this program's wording.

use std::io::{Error, ErrorKind};

/// Describes why the system refused a file or folder, without the error number:
/// `there is no such file`. `noun` names the affected object.
pub fn system_reason(error: &Error, noun: &str) -> String {
    // The creator of the error worded it.
    if error.get_ref().is_some() {
        return error.to_string();
    }
    let reason = match error.kind() {
        ErrorKind::NotFound => return format!("there is no such {noun}"),
        ErrorKind::PermissionDenied => "permission is denied",
        ErrorKind::AlreadyExists => "it already exists",
        ErrorKind::IsADirectory => "it is a folder",
        ErrorKind::NotADirectory => "a part of its path is not a folder",
        ErrorKind::InvalidFilename => "the system does not allow this name",
        ErrorKind::StorageFull => "the disk is full",
        ErrorKind::QuotaExceeded => "your share of the disk is full",
        ErrorKind::ReadOnlyFilesystem => "the disk is read-only",
        ErrorKind::FileTooLarge => "it is too large for the file system",
        ErrorKind::OutOfMemory => "there is not enough memory",
        ErrorKind::TimedOut => "it timed out",
        ErrorKind::BrokenPipe => "its reader was closed",
        _ => {
            let text = error.to_string();
            let said = text.split(" (os error ").next().unwrap_or_default();
            let mut letters = said.chars();
            let first = letters.next().map(char::to_lowercase);
            return first.into_iter().flatten().chain(letters).collect();
        }
    };
    reason.to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_system_is_quoted_without_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let reason = |path: &Path| system_reason(&std::fs::File::open(path).unwrap_err(), "file");
        let none = folder.path().join("none");
        assert_eq!(reason(&none), "there is no such file");
        let error = std::fs::read_dir(&none).unwrap_err();
        assert_eq!(system_reason(&error, "folder"), "there is no such folder");
        if cfg!(target_os = "linux") {
            let error = Error::from_raw_os_error(40);
            assert_eq!(
                system_reason(&error, "file"),
                "too many levels of symbolic links"
            );
            let error = std::fs::read(folder.path()).unwrap_err();
            assert_eq!(system_reason(&error, "file"), "it is a folder");
        }
        let error = Error::from(ErrorKind::BrokenPipe);
        assert_eq!(system_reason(&error, "file"), "its reader was closed");
        let error = Error::other("Too much (os error 5)");
        assert_eq!(system_reason(&error, "file"), "Too much (os error 5)");
    }
}
