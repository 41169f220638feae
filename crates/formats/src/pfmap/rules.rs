//! The rules of maps. Everything that the engine refuses is an error (fact sheet A1).

use crate::cursor::TextRules;

crate::rules! {
    pub;
    /// A header line is missing, unknown, repeated, out of order or has no number.
    Error HEADER_LINE = "pfmap/header-line", all is read;
    /// The version is newer than 1.2, the latest known one.
    Warning VERSION = "pfmap/version";
    /// `num_splats` is present before version 1.1, or missing from version 1.1 on.
    Error NUM_SPLATS = "pfmap/num-splats", all is read;
    /// The map has more materials or splats than the engine supports.
    Error LIST_LENGTH = "pfmap/list-length", all is read;
    /// The tiles are in the layout from before April 2019.
    Error OLDER_LAYOUT = "pfmap/older-layout";
    /// The map has no chunks, or more chunks than the file can hold.
    Error SIZE = "pfmap/size", all is read;
    /// A header line begins with a space.
    Error INDENTED_LINE = "pfmap/indented-line", all is read;
    /// The file begins with a byte order mark.
    Error BYTE_ORDER_MARK = "pfmap/byte-order-mark", all is read;
    /// The header has a blank line.
    Error BLANK_LINE = "pfmap/blank-line", all is read;
    /// A header line has extra words.
    Warning EXTRA_WORDS = "pfmap/extra-words";
    /// A line is longer than the 255 bytes that the engine reads.
    Error LONG_LINE = "pfmap/long-line", all is read;
    /// A material line cannot be read.
    Error MATERIAL = "pfmap/material";
    /// The number of material lines does not match `num_materials`.
    Error MATERIAL_COUNT = "pfmap/material-count", all is read;
    /// No tile can refer to a material after the 1000th.
    Warning UNNAMEABLE_MATERIAL = "pfmap/unnameable-material";
    /// A splat line cannot be read.
    Error SPLAT = "pfmap/splat";
    /// The number of splat lines does not match `num_splats`.
    Error SPLAT_COUNT = "pfmap/splat-count", all is read;
    /// A splat refers to a material that does not exist.
    Warning SPLAT_MATERIAL = "pfmap/splat-material";
    /// A tile does not have 24 characters.
    Error TILE_LENGTH = "pfmap/tile-length";
    /// A tile has an unknown type.
    Error TILE_TYPE = "pfmap/tile-type";
    /// The base height or ramp height of a tile is invalid.
    Error TILE_HEIGHT = "pfmap/tile-height";
    /// A field of a tile contains a character that is not a digit.
    Error TILE_FIELD = "pfmap/tile-field", all is read;
    /// A digit of a tile is invalid in its field.
    Warning TILE_DIGIT = "pfmap/tile-digit";
    /// A tile refers to a material that does not exist.
    Error TILE_MATERIAL = "pfmap/tile-material", all is read;
    /// Two tiles have different blend modes for their shared edge.
    Warning EDGE_BLEND = "pfmap/edge-blend";
    /// The file ends before the first tile.
    Error NO_TILES = "pfmap/no-tiles";
    /// The file ends before the last tile.
    Error MISSING_TILES = "pfmap/missing-tiles";
    /// A row of tiles does not begin on a new line.
    Warning ROW_START = "pfmap/row-start";
    /// A damaged line has more or fewer tiles than the other lines.
    Error ROW_TILES = "pfmap/row-tiles";
    /// A chunk does not begin on a new line.
    Error CHUNK_START = "pfmap/chunk-start", all is read;
    /// A merge conflict is unresolved; only one side is read.
    Error CONFLICT = "pfmap/conflict";
    /// The last line does not end with a line feed.
    Error LAST_LINE = "pfmap/last-line", all is read;
    /// The file has more tiles than the header declares.
    Error EXTRA_TILES = "pfmap/extra-tiles";
    /// Extra data follows the last tile.
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
