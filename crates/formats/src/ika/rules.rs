//! Rules for maps and tilesets.

crate::rules! {
    /// The file does not begin as a map of ika does.
    Error MAGIC = "ika/magic";
    /// The map or tileset is of VERGE, the engine that ika comes from.
    Error VERGE = "ika/verge";
    /// The file ends inside a value or a block.
    Error TRUNCATED = "ika/truncated";
    /// The width and height of a map or layer are not positive, too large, or not those of its tiles.
    Error SIZE = "ika/size";
    /// The number of layers is negative, or another than that of the layers that follow.
    Error LAYER_COUNT = "ika/layer-count", all is read;
    /// The number of zones or entities is another than that of those that follow.
    Error RECORD_COUNT = "ika/record-count", all is read;
    /// The map has no layers.
    Error NO_LAYERS = "ika/no-layers", all is read;
    /// A node that is needed is missing.
    Error MISSING_NODE = "ika/missing-node";
    /// The name of an unknown node looks like a misspelling of a known one.
    Warning UNKNOWN_NODE = "ika/unknown-node";
    /// A header that should be there is missing.
    Warning NO_HEADER = "ika/no-header";
    /// There are more layers than are shown.
    Error TOO_MANY_LAYERS = "ika/too-many-layers";
    /// The layers are in the order of the document, not in that of the engine.
    Warning LAYER_ORDER = "ika/layer-order";
    /// A block does not inflate to what is needed.
    Error BLOCK = "ika/block";
    /// Blocks are damaged; reading goes on at the next whole one.
    Error LOST_BLOCKS = "ika/lost-blocks";
    /// The length of a block is another than that of its stream.
    Error BLOCK_LENGTH = "ika/block-length", all is read;
    /// A zone or an entity is damaged.
    Error RECORD = "ika/record";
    /// A block is damaged, although there is as much of it as is needed: values in it may be wrong.
    Error DAMAGED_BLOCK = "ika/damaged-block", all is read;
    /// A block holds more than is needed.
    Warning LONG_BLOCK = "ika/long-block";
    /// Data is not base64.
    Error BASE64 = "ika/base64";
    /// Something follows the end of a block, the map or the tileset.
    Warning TRAILING_DATA = "ika/trailing-data";
    /// A divisor of the parallax is 0.
    Warning PARALLAX = "ika/parallax";
    /// The render string is empty, or has characters without meaning.
    Warning RENDER_STRING = "ika/render-string";
    /// A tile is in a zone that does not exist.
    Warning ZONE_NUMBER = "ika/zone-number";
    /// A zone of a layer is not among the zones of the map.
    Warning ZONE_NAME = "ika/zone-name";
    /// A number or a flag cannot be read; 0 or `false` is in its place.
    Error UNREADABLE_VALUE = "ika/unreadable-value";
    /// A value has no meaning.
    Warning VALUE = "ika/value";
    /// A text is longer than the engine has room for.
    Warning LONG_TEXT = "ika/long-text";
    /// The version of a text file is missing or not known.
    Warning VERSION = "ika/version";
    /// A merge conflict is unresolved: one version of its lines is read.
    Error CONFLICT = "ika/conflict";
    /// The text of a file breaks the rules of its syntax.
    Error SYNTAX = "ika/syntax", all is read;
    /// A text stands among the nodes of one that has no text.
    Warning STRAY_TEXT = "ika/stray-text";
    /// Nodes are nested too deeply.
    Error DEPTH = "ika/depth";
    /// No space follows the name of a node.
    Warning NODE_NAME = "ika/node-name";
    /// The tileset is of a version that is not known.
    Error TILESET_VERSION = "vsp/version";
    /// The pixels are of a size that is not known.
    Error PIXEL_FORMAT = "vsp/pixel-format";
    /// The width or height of tiles is 0 or too large.
    Error TILE_SIZE = "vsp/tile-size";
    /// The number of tiles is negative or too large.
    Error TILE_COUNT = "vsp/tile-count";
    /// A number without which nothing can be shown is missing.
    Error NUMBER = "vsp/number";
    /// The pixels take more or fewer bytes than the file says.
    Error PIXELS_SIZE = "vsp/pixels-size", all is read;
    /// The tileset has no tiles.
    Warning NO_TILES = "vsp/no-tiles";
    /// An animation strand is missing, or names tiles or a mode that do not exist.
    Warning STRAND = "vsp/strand";
    /// The transparent colour is not number 0.
    Warning TRANSPARENT_COLOR = "vsp/transparent-color";
}
