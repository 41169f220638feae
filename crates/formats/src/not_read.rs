//! Why parts of a file were not read, where its problems say it too.

/// Why the end of a list was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NotRead {
    /// The file ends before it.
    FileEnds,
    /// What is packed ends before it, though the file goes on.
    DataEnds,
    /// What is packed is damaged before it.
    Damaged,
    /// It takes more memory than a file of this length may ask for.
    TooLarge,
    /// It is packed in a way that cannot be unpacked.
    Compression,
    /// The file that it is in was not found, or cannot be read.
    NoFile,
    /// The file does not have it where it should be.
    Missing,
}

/// How many elements of a list stand behind the end of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rest {
    /// None: the list is whole.
    #[default]
    Nothing,
    /// So many.
    Count(u32),
    /// The file ends before it says how many there are.
    Unknown,
}
