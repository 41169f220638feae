//! Reasons why parts of a file were not read. The file's problems report them too.

/// The reason why the end of a list was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnreadReason {
    /// The file ends before it.
    FileEnds,
    /// The compressed data ends before it, but the file continues.
    DataEnds,
    /// The compressed data is corrupt before it.
    Damaged,
    /// It needs more memory than the budget of a file of this length.
    TooLarge,
    /// Its compression is not supported.
    Compression,
    /// The file that contains it was not found or cannot be read.
    NoFile,
    /// The file does not have it in its place.
    Missing,
}

/// Number of elements of a list that are beyond the end of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rest {
    /// The list is complete.
    #[default]
    Nothing,
    /// The given number of elements.
    Count(u32),
    /// The file ends before the element count.
    Unknown,
}
