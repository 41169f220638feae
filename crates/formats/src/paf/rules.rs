//! Rules for archives.

use crate::Rule;

/// Rules for the archives of maps.
pub(crate) mod in_maps {
    crate::rules! {
        /// The archive or one of its directories cannot be read.
        Warning ARCHIVE = "pmf/archive";
        /// A file, link or name in the archive cannot be read.
        Warning ARCHIVE_ENTRY = "pmf/archive-entry";
        /// Two entries of an archive directory have the same name.
        Warning ARCHIVE_DUPLICATE = "pmf/archive-duplicate";
    }
}

crate::rules! {
    /// The file does not begin with `PAF` and version 0.
    Error MAGIC = "paf/magic";
    /// The head of the archive is truncated, or its root directory is outside the file.
    Error HEAD = "paf/head";
    /// A directory cannot be read to its end.
    Error DIRECTORY = "paf/directory";
    /// A directory is in itself or in several directories.
    Warning REPEATED_DIRECTORY = "paf/repeated-directory";
    /// A file cannot be read.
    Error FILE = "paf/file";
    /// An entry has an unknown type.
    Error ENTRY_TYPE = "paf/entry-type";
    /// A name or the text of a link cannot be read.
    Error STRING = "paf/string";
    /// A name is not a valid file name.
    Warning NAME = "paf/name";
    /// Two entries of a directory have the same name.
    Warning DUPLICATE_NAME = "paf/duplicate-name";
    /// The checksum of a name is wrong.
    Warning NAME_CHECKSUM = "paf/name-checksum";
    /// A link leads nowhere.
    Warning LINK = "paf/link";
}

/// The rules of the faults of an archive. They depend on the file that contains it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ArchiveRules {
    pub directory: &'static Rule,
    pub repeated_directory: &'static Rule,
    pub file: &'static Rule,
    pub entry_type: &'static Rule,
    pub string: &'static Rule,
    pub name: &'static Rule,
    pub duplicate_name: &'static Rule,
    /// Rules that hold only in files of their own.
    pub strict: Option<StrictRules>,
}

/// Rules of archives in files of their own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StrictRules {
    pub name_checksum: &'static Rule,
    pub link: &'static Rule,
}

/// The rules of an archive in a file of its own.
pub(crate) static OF_FILES: ArchiveRules = ArchiveRules {
    directory: &DIRECTORY,
    repeated_directory: &REPEATED_DIRECTORY,
    file: &FILE,
    entry_type: &ENTRY_TYPE,
    string: &STRING,
    name: &NAME,
    duplicate_name: &DUPLICATE_NAME,
    strict: Some(StrictRules {
        name_checksum: &NAME_CHECKSUM,
        link: &LINK,
    }),
};

/// The rules of an archive in a PMF map.
pub(crate) static OF_MAPS: ArchiveRules = ArchiveRules {
    directory: &in_maps::ARCHIVE,
    repeated_directory: &in_maps::ARCHIVE,
    file: &in_maps::ARCHIVE_ENTRY,
    entry_type: &in_maps::ARCHIVE_ENTRY,
    string: &in_maps::ARCHIVE_ENTRY,
    name: &in_maps::ARCHIVE_ENTRY,
    duplicate_name: &in_maps::ARCHIVE_DUPLICATE,
    strict: None,
};
