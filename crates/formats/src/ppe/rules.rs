//! Rules for map data and for the text of XMF.

crate::rules! {
    /// The header is cut off.
    Error HEADER = "ppe-map/header";
    /// The width or height is not positive, or the map too large.
    Error SIZE = "ppe-map/size";
    /// Flags are set that have no meaning.
    Warning FLAGS = "ppe-map/flags";
    /// The cells are compressed in several ways, or in one that nobody defines.
    Error COMPRESSION = "ppe-map/compression";
    /// Cells or attributes are missing.
    Error TRUNCATED = "ppe-map/truncated";
    /// The attributes decode to more than is read from a file of this length.
    Error TOO_LARGE = "ppe-map/too-large";
    /// A packet of run-length encoded cells goes on past the last cell.
    Error LONG_PACKET = "ppe-map/long-packet";
    /// How attributes follow run-length encoded cells is a guess.
    Warning RLE_ATTRIBUTES = "ppe-map/rle-attributes";
    /// The compressed data is damaged.
    Error DAMAGED = "ppe-map/damaged";
    /// The compressed data has no end.
    Warning UNFINISHED = "ppe-map/unfinished";
    /// Something follows the compressed cells and attributes.
    Warning TRAILING_DATA = "ppe-map/trailing-data";
    /// Cells and attributes are more bytes than the size of the map needs.
    Warning LENGTH = "ppe-map/length";
    /// The file has neither metadata nor a layer.
    Error NO_MAP = "xmf/no-map";
    /// The compressed text is damaged or cut off.
    Error PACKED_TEXT = "xmf/packed-text";
    /// Something follows the compressed text.
    Warning TRAILING_TEXT = "xmf/trailing-data";
    /// The file has more text, tags or layers than are read.
    Error LIMIT = "xmf/limit";
    /// A merge conflict is unresolved: one version of its lines is read.
    Error CONFLICT = "xmf/conflict";
    /// The text breaks the rules of its syntax.
    Error SYNTAX = "xmf/syntax";
    /// The text ends inside a tag or a value.
    Error TEXT_TRUNCATED = "xmf/truncated";
    /// A text is not UTF-8.
    Warning ENCODING = "xmf/encoding";
    /// A value that a tag needs is missing or of the wrong kind.
    Error VALUE = "xmf/value";
    /// A tile of a sheet or a part of a sprite sheet has more values than are read.
    Warning SURPLUS_VALUES = "xmf/surplus-values";
    /// A tag has no name, or an unknown tag or attribute looks like a misspelling of a known one.
    Warning TAG_NAME = "xmf/tag-name";
    /// The map is of a version that is not known.
    Warning VERSION = "xmf/version";
    /// A layer of tiles does not say where its cells are.
    Warning NO_CELLS = "xmf/no-cells";
    /// Two tiles of a sheet have the same identifier.
    Warning TILE_ID = "xmf/tile-id";
    /// Two images or objects of a layer have the same identifier.
    Warning IDENTIFIER = "xmf/identifier";
    /// A layer is of a kind that the engine refuses.
    Error LAYER_KIND = "xmf/layer-kind";
    /// Two layers have the same priority.
    Warning PRIORITY = "xmf/priority";
    /// A layer has cells twice.
    Warning DUPLICATE_CELLS = "xmf/duplicate-cells";
    /// A polyline begins with `Segment`, or has `Begin` in its middle.
    Warning POLYLINE = "xmf/polyline";
    /// A polyline has fewer than 2 points.
    Error POLYLINE_POINTS = "xmf/polyline-points";
    /// Embedded data is not of the size that is needed.
    Error EMBEDDED_SIZE = "xmf/embedded-size";
    /// The order of the numbers of tiles is a guess.
    Warning TILE_ORDER = "xmf/tile-order";
    /// The order of the channels of embedded colours is a guess.
    Warning COLOR_ORDER = "xmf/color-order";
    /// The layout of embedded cells is a guess.
    Warning CELL_LAYOUT = "xmf/cell-layout";
    /// A tile sheet, sprite sheet or palette is missing or cannot be read.
    Warning SHEET = "xmf/sheet";
}
