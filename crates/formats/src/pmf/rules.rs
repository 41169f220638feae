//! Rules for maps.

crate::rules! {
    /// The file does not begin with `PMF` and a version.
    Error MAGIC = "pmf/magic";
    /// The file has an unknown version.
    Error VERSION = "pmf/version";
    /// The file has a newer layout with the same version number.
    Error NEWER_LAYOUT = "pmf/newer-layout";
    /// A record is truncated.
    Error TRUNCATED = "pmf/truncated";
    /// Missing or extra bytes shift the data after them.
    Error SHIFTED = "pmf/shifted", all is read;
    /// A text of the header is not terminated.
    Error UNTERMINATED_TEXT = "pmf/unterminated-text";
    /// The map has more than 32 gamemodes.
    Error GAMEMODE_COUNT = "pmf/gamemode-count";
    /// A gamemode name is empty or too long.
    Warning GAMEMODE_NAME = "pmf/gamemode-name";
    /// The creation time is after the year 9999.
    Warning CREATION_TIME = "pmf/creation-time";
    /// A text of the header is longer than 64 KiB.
    Warning LONG_TEXT = "pmf/long-text";
    /// A string is outside the string table or is not terminated.
    Error STRING = "pmf/string", all is read;
    /// An extension has no name.
    Warning EXTENSION_NAME = "pmf/extension-name";
    /// A required extension is unknown.
    Warning REQUIRED_EXTENSION = "pmf/required-extension";
    /// Reserved bits are set.
    Warning RESERVED_BITS = "pmf/reserved-bits";
    /// Extra bytes follow a part of the file.
    Warning TRAILING_DATA = "pmf/trailing-data";
    /// A number is NaN or infinite.
    Warning NOT_FINITE = "pmf/not-finite";
    /// A face, corner or box with NaN or infinite coordinates is left out.
    Warning NOT_FINITE_GEOMETRY = "pmf/not-finite-geometry";
    /// A level is not at its declared offset.
    Error LEVEL_LIST = "pmf/level-list", all is read;
    /// The chunks of a level are larger than 2^24 m.
    Error CHUNK_SIZE = "pmf/chunk-size";
    /// A chunk index is outside the grid of its level.
    Warning CHUNK_INDEX = "pmf/chunk-index";
    /// The common section of a level or chunk is missing.
    Error MISSING_SECTION = "pmf/missing-section";
    /// The packed or unpacked size of a section is wrong.
    Error SECTION_SIZE = "pmf/section-size", all is read;
    /// A section is not an LZ4 frame of the declared size.
    Error LZ4 = "pmf/lz4";
    /// Two records of a level have the same name.
    Warning DUPLICATE_NAME = "pmf/duplicate-name";
    /// A material or environment does not exist in its level.
    Warning UNKNOWN_NAME = "pmf/unknown-name";
    /// A material has an unknown render mode.
    Warning RENDER_MODE = "pmf/render-mode";
    /// A chunk has no cubes, or more than the file can hold.
    Error CUBE_COUNT = "pmf/cube-count";
    /// A cube has an unknown type.
    Error CUBE_TYPE = "pmf/cube-type";
    /// The cubes of a chunk do not form a tree.
    Error CUBE_TREE = "pmf/cube-tree";
    /// A cube refers to vertices or normals that its chunk does not have.
    Error CUBE_VERTICES = "pmf/cube-vertices";
    /// A face has a material that its chunk does not list.
    Error CUBE_MATERIAL = "pmf/cube-material";
    /// Cubes are not part of the cube tree.
    Warning UNREACHED_CUBE = "pmf/unreached-cube";
    /// The children of cubes are in a section that is missing or cannot be read.
    Warning MISSING_CHILDREN = "pmf/missing-children";
    /// An index is outside its list.
    Warning INDEX = "pmf/index";
    /// A lightmap is larger than 2^15 luxels on a side.
    Error LIGHTMAP_SIZE = "pmf/lightmap-size";
    /// A dynamic light refers to a lightmap that its chunk does not have.
    Error LIGHT_LIGHTMAP = "pmf/light-lightmap";
    /// A fast light refers to vertices that its chunk does not have.
    Error LIGHT_VERTICES = "pmf/light-vertices";
    /// The maximum corner of a region is below its minimum corner.
    Warning REGION_CORNERS = "pmf/region-corners";
    /// Entities of the map cannot be read.
    Error MAP_ENTITIES = "pmf/map-entities";
    /// Entities of a level or chunk cannot be read.
    Error ENTITIES = "pmf/entities";
    /// An entity has an unknown type.
    Warning ENTITY_TYPE = "pmf/entity-type";
    /// A value of an entity is invalid.
    Warning ENTITY_VALUE = "pmf/entity-value";
    /// A property of an entity is invalid or does not exist.
    Warning ENTITY_PROPERTY = "pmf/entity-property";
    /// The name of an entity is reserved for players.
    Warning PLAYER_NAME = "pmf/player-name";
}
