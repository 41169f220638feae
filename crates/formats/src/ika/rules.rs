//! Rules for maps and tilesets.

crate::rules! {
    /// The file does not begin like an ika map.
    Error MAGIC = "ika/magic";
    /// The map or tileset was made for VERGE, the predecessor of ika.
    Error VERGE = "ika/verge";
    /// The file ends inside a value or a block.
    Error TRUNCATED = "ika/truncated";
    /// The size of a map or layer is not positive, too large or does not match its tiles.
    Error SIZE = "ika/size";
    /// The declared number of layers is negative or wrong.
    Error LAYER_COUNT = "ika/layer-count", all is read;
    /// The declared number of zones or entities is wrong.
    Error RECORD_COUNT = "ika/record-count", all is read;
    /// The map has no layers.
    Error NO_LAYERS = "ika/no-layers", all is read;
    /// A required node is missing.
    Error MISSING_NODE = "ika/missing-node";
    /// A node name looks like a misspelling of a known one.
    Warning UNKNOWN_NODE = "ika/unknown-node";
    /// The header is missing.
    Warning NO_HEADER = "ika/no-header";
    /// The map has more layers than Mapscope shows.
    Error TOO_MANY_LAYERS = "ika/too-many-layers";
    /// The layers are in the order of the documentation, not in that of the engine.
    Warning LAYER_ORDER = "ika/layer-order";
    /// A block inflates to less data than needed.
    Error BLOCK = "ika/block";
    /// Blocks are damaged; reading continues at the next intact one.
    Error LOST_BLOCKS = "ika/lost-blocks";
    /// A block's declared length does not match its stream.
    Error BLOCK_LENGTH = "ika/block-length", all is read;
    /// A zone or an entity is damaged.
    Error RECORD = "ika/record";
    /// A block is complete but damaged, so values in it may be wrong.
    Error DAMAGED_BLOCK = "ika/damaged-block", all is read;
    /// A block inflates to more data than needed.
    Warning LONG_BLOCK = "ika/long-block";
    /// Data is not valid base64.
    Error BASE64 = "ika/base64";
    /// Extra data follows a block, the map or the tileset.
    Warning TRAILING_DATA = "ika/trailing-data";
    /// A divisor of the parallax is 0.
    Warning PARALLAX = "ika/parallax";
    /// The render string is empty or has unknown characters.
    Warning RENDER_STRING = "ika/render-string";
    /// A tile refers to a zone that does not exist.
    Warning ZONE_NUMBER = "ika/zone-number";
    /// A layer refers to a zone that the map does not have.
    Warning ZONE_NAME = "ika/zone-name";
    /// A number or a flag cannot be read and is replaced by 0 or `false`.
    Error UNREADABLE_VALUE = "ika/unreadable-value";
    /// A value is invalid.
    Warning VALUE = "ika/value";
    /// A text is longer than the engine supports.
    Warning LONG_TEXT = "ika/long-text";
    /// The version of a text file is missing or unknown.
    Warning VERSION = "ika/version";
    /// A merge conflict is unresolved; only one side is read.
    Error CONFLICT = "ika/conflict";
    /// The text has a syntax error.
    Error SYNTAX = "ika/syntax", all is read;
    /// A node contains unexpected text.
    Warning STRAY_TEXT = "ika/stray-text";
    /// Nodes are nested too deeply.
    Error DEPTH = "ika/depth";
    /// A node name is not followed by a space.
    Warning NODE_NAME = "ika/node-name";
    /// The tileset has an unknown version.
    Error TILESET_VERSION = "vsp/version";
    /// The tileset has an unknown pixel size.
    Error PIXEL_FORMAT = "vsp/pixel-format";
    /// The width or height of tiles is 0 or too large.
    Error TILE_SIZE = "vsp/tile-size";
    /// The number of tiles is negative or too large.
    Error TILE_COUNT = "vsp/tile-count";
    /// A required number is missing.
    Error NUMBER = "vsp/number";
    /// The pixel data is longer or shorter than declared.
    Error PIXELS_SIZE = "vsp/pixels-size", all is read;
    /// The tileset has no tiles.
    Warning NO_TILES = "vsp/no-tiles";
    /// An animation strand is missing, or its tiles or mode do not exist.
    Warning STRAND = "vsp/strand";
    /// The transparent colour is not number 0.
    Warning TRANSPARENT_COLOR = "vsp/transparent-color";
}
