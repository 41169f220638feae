//! Rules for map data and for the text of XMF.

crate::rules! {
    /// The header is truncated.
    Error HEADER = "ppe-map/header";
    /// The width or height is not positive, or the map is too large.
    Error SIZE = "ppe-map/size";
    /// Unknown flags are set.
    Warning FLAGS = "ppe-map/flags";
    /// The compression is undefined, or several are declared at once.
    Error COMPRESSION = "ppe-map/compression";
    /// Cells or attributes are missing.
    Error TRUNCATED = "ppe-map/truncated";
    /// The attributes decode to more than the limit for the length of the file.
    Error TOO_LARGE = "ppe-map/too-large";
    /// A packet of run-length encoded cells continues past the last cell.
    Error LONG_PACKET = "ppe-map/long-packet";
    /// The layout of attributes after run-length encoded cells is a guess.
    Warning RLE_ATTRIBUTES = "ppe-map/rle-attributes";
    /// The compressed data is damaged.
    Error DAMAGED = "ppe-map/damaged";
    /// The compressed data is not terminated.
    Warning UNFINISHED = "ppe-map/unfinished";
    /// Extra data follows the compressed cells and attributes.
    Warning TRAILING_DATA = "ppe-map/trailing-data";
    /// The cells and attributes are longer than the map needs.
    Warning LENGTH = "ppe-map/length";
    /// The file has neither metadata nor a layer.
    Error NO_MAP = "xmf/no-map";
    /// The compressed text is damaged or truncated.
    Error PACKED_TEXT = "xmf/packed-text";
    /// Extra data follows the compressed text.
    Warning TRAILING_TEXT = "xmf/trailing-data";
    /// The file has more text, tags or layers than Mapscope reads.
    Error LIMIT = "xmf/limit";
    /// A merge conflict is unresolved; only one side is read.
    Error CONFLICT = "xmf/conflict";
    /// The text has a syntax error.
    Error SYNTAX = "xmf/syntax";
    /// The text ends inside a tag or a value.
    Error TEXT_TRUNCATED = "xmf/truncated";
    /// A text is not valid UTF-8.
    Warning ENCODING = "xmf/encoding";
    /// A required value is missing or invalid.
    Error VALUE = "xmf/value";
    /// A tile of a sheet or a part of a sprite sheet has extra values.
    Warning SURPLUS_VALUES = "xmf/surplus-values";
    /// A tag has no name, or the name of a tag or attribute looks like a misspelling.
    Warning TAG_NAME = "xmf/tag-name";
    /// The map has an unknown version.
    Warning VERSION = "xmf/version";
    /// A tile layer has no map data.
    Warning NO_CELLS = "xmf/no-cells";
    /// Two tiles of a sheet have the same identifier.
    Warning TILE_ID = "xmf/tile-id";
    /// Two images or objects of a layer have the same identifier.
    Warning IDENTIFIER = "xmf/identifier";
    /// A layer has a kind that the engine refuses.
    Error LAYER_KIND = "xmf/layer-kind";
    /// Two layers have the same priority.
    Warning PRIORITY = "xmf/priority";
    /// A layer has duplicate map data.
    Warning DUPLICATE_CELLS = "xmf/duplicate-cells";
    /// A polyline begins with `Segment`, or has `Begin` in its middle.
    Warning POLYLINE = "xmf/polyline";
    /// A polyline has fewer than 2 points.
    Error POLYLINE_POINTS = "xmf/polyline-points";
    /// Embedded data has the wrong size.
    Error EMBEDDED_SIZE = "xmf/embedded-size";
    /// The order of the tile numbers is a guess.
    Warning TILE_ORDER = "xmf/tile-order";
    /// The channel order of embedded colours is a guess.
    Warning COLOR_ORDER = "xmf/color-order";
    /// The layout of embedded cells is a guess.
    Warning CELL_LAYOUT = "xmf/cell-layout";
    /// A tile sheet, sprite sheet or palette is missing or cannot be read.
    Warning SHEET = "xmf/sheet";
}
