//! Rules for textures in files of their own.

crate::rules! {
    /// The file does not begin with `PTF`.
    Error MAGIC = "ptf/magic";
    /// The file has an unknown version.
    Error VERSION = "ptf/version";
    /// The file is truncated; the missing pixels are 0.
    Error TRUNCATED = "ptf/truncated";
    /// The declared size is larger than the data can hold.
    Error SIZE = "ptf/size";
    /// The pixels are not an LZ4 frame, or the frame is damaged.
    Error LZ4 = "ptf/lz4";
    /// The LZ4 frame decodes to too few bytes; the missing pixels are 0.
    Warning SHORT_BLOCK = "ptf/short-block";
    /// The LZ4 frame decodes to too many bytes; the extra ones are left out.
    Warning LONG_BLOCK = "ptf/long-block";
    /// A checksum of the LZ4 frame is wrong.
    Warning CHECKSUM = "ptf/checksum";
    /// Extra bytes follow the LZ4 frame.
    Warning TRAILING_DATA = "ptf/trailing-data";
    /// Unknown flags are set.
    Warning UNKNOWN_FLAGS = "ptf/unknown-flags";
}
