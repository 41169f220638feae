//! The rules of maps. Everything that the engine refuses is an error (fact sheet A1).

use crate::cursor::TextRules;

crate::rules! {
    pub;
    /// A line of the header is missing, unknown, repeated or out of order, or has no number.
    Error HEADER_LINE = "pfmap/header-line", all is read;
    /// The version is newer than 1.2, the newest that is known.
    Warning VERSION = "pfmap/version";
    /// `num_splats` stands in a file of a version below 1.1, or is missing in a later one.
    Error NUM_SPLATS = "pfmap/num-splats", all is read;
    /// There are more materials or splats than the engine has room for.
    Error LIST_LENGTH = "pfmap/list-length", all is read;
    /// The file is of a layout that engines before April 2019 read.
    Error OLDER_LAYOUT = "pfmap/older-layout";
    /// The map has no chunks, or more than the file has room for.
    Error SIZE = "pfmap/size", all is read;
    /// A line of the header begins with a space.
    Error INDENTED_LINE = "pfmap/indented-line", all is read;
    /// The file begins with a byte order mark.
    Error BYTE_ORDER_MARK = "pfmap/byte-order-mark", all is read;
    /// There is a blank line in the header.
    Error BLANK_LINE = "pfmap/blank-line", all is read;
    /// A line of the header has more words than are read.
    Warning EXTRA_WORDS = "pfmap/extra-words";
    /// A line has more than the 255 bytes that the engine reads.
    Error LONG_LINE = "pfmap/long-line", all is read;
    /// A material line cannot be read.
    Error MATERIAL = "pfmap/material";
    /// There are more or fewer material lines than `num_materials` says.
    Error MATERIAL_COUNT = "pfmap/material-count", all is read;
    /// A material comes after the 1000th, where no tile can name it.
    Warning UNNAMEABLE_MATERIAL = "pfmap/unnameable-material";
    /// A splat line cannot be read.
    Error SPLAT = "pfmap/splat";
    /// There are more or fewer splat lines than `num_splats` says.
    Error SPLAT_COUNT = "pfmap/splat-count", all is read;
    /// A splat names a material that does not exist.
    Warning SPLAT_MATERIAL = "pfmap/splat-material";
    /// A tile does not have 24 characters.
    Error TILE_LENGTH = "pfmap/tile-length";
    /// A tile is of a type that does not exist.
    Error TILE_TYPE = "pfmap/tile-type";
    /// The base height or ramp height of a tile is out of range.
    Error TILE_HEIGHT = "pfmap/tile-height";
    /// A tile has a character that is not a digit; the engine computes a number from it.
    Error TILE_FIELD = "pfmap/tile-field", all is read;
    /// A digit of a tile has no meaning in its field.
    Warning TILE_DIGIT = "pfmap/tile-digit";
    /// A tile names a material that does not exist.
    Error TILE_MATERIAL = "pfmap/tile-material", all is read;
    /// Two tiles have different blend modes for the edge that they share.
    Warning EDGE_BLEND = "pfmap/edge-blend";
    /// The file ends before the first tile.
    Error NO_TILES = "pfmap/no-tiles";
    /// The file ends before the last tile.
    Error MISSING_TILES = "pfmap/missing-tiles";
    /// The first tile of a row does not begin a line.
    Warning ROW_START = "pfmap/row-start";
    /// A damaged line has more or fewer tiles than the lines of all other rows.
    Error ROW_TILES = "pfmap/row-tiles";
    /// The first tile of a chunk does not begin a line.
    Error CHUNK_START = "pfmap/chunk-start", all is read;
    /// A merge conflict is unresolved: one version of its lines is read.
    Error CONFLICT = "pfmap/conflict";
    /// The last line does not end with a line feed.
    Error LAST_LINE = "pfmap/last-line", all is read;
    /// More tiles follow than the head says.
    Error EXTRA_TILES = "pfmap/extra-tiles";
    /// Something else follows the last tile.
    Warning TRAILING_DATA = "pfmap/trailing-data";
}

/// The rules of text files for maps.
pub(super) static TEXT_RULES: TextRules = TextRules {
    indented_line: Some(&INDENTED_LINE),
    byte_order_mark: &BYTE_ORDER_MARK,
    blank_line: &BLANK_LINE,
    extra_words: &EXTRA_WORDS,
    long_line: &LONG_LINE,
};
