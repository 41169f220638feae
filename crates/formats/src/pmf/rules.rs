//! Rules for maps.

crate::rules! {
    /// The file does not begin with `PMF` and a version.
    Error MAGIC = "pmf/magic";
    /// The file is of a version that is not known.
    Error VERSION = "pmf/version";
    /// The file is of a layout that came after the one that is read, with the same version number.
    Error NEWER_LAYOUT = "pmf/newer-layout";
    /// A record needs more bytes than are left.
    Error TRUNCATED = "pmf/truncated";
    /// Bytes are missing, or some are too many, so that what follows is elsewhere than it should be.
    Error SHIFTED = "pmf/shifted", all is read;
    /// A text of the header does not end.
    Error UNTERMINATED_TEXT = "pmf/unterminated-text";
    /// The map is for more than 32 gamemodes.
    Error GAMEMODE_COUNT = "pmf/gamemode-count";
    /// The name of a gamemode is empty or too long.
    Warning GAMEMODE_NAME = "pmf/gamemode-name";
    /// The creation time is after the year 9999.
    Warning CREATION_TIME = "pmf/creation-time";
    /// A text of the header has more than 64 KiB.
    Warning LONG_TEXT = "pmf/long-text";
    /// A string is not in the string table, or does not end there.
    Error STRING = "pmf/string", all is read;
    /// An extension has no name.
    Warning EXTENSION_NAME = "pmf/extension-name";
    /// An extension that must be supported is not known.
    Warning REQUIRED_EXTENSION = "pmf/required-extension";
    /// Bits are set that have no meaning.
    Warning RESERVED_BITS = "pmf/reserved-bits";
    /// Bytes follow what is read of a part.
    Warning TRAILING_DATA = "pmf/trailing-data";
    /// A number is NaN or infinite.
    Warning NOT_FINITE = "pmf/not-finite";
    /// A face, corner or box has coordinates that are NaN or infinite; it is left out.
    Warning NOT_FINITE_GEOMETRY = "pmf/not-finite-geometry";
    /// Levels are somewhere else than the file says.
    Error LEVEL_LIST = "pmf/level-list", all is read;
    /// The chunks of a level are larger than 2^24 m.
    Error CHUNK_SIZE = "pmf/chunk-size";
    /// A chunk is named that is outside the grid of its level.
    Warning CHUNK_INDEX = "pmf/chunk-index";
    /// The common section of a level or chunk is missing.
    Error MISSING_SECTION = "pmf/missing-section";
    /// The packed and unpacked sizes of a section make no sense.
    Error SECTION_SIZE = "pmf/section-size", all is read;
    /// A section is no LZ4 frame of the announced size.
    Error LZ4 = "pmf/lz4";
    /// Two records of a level have the same name.
    Warning DUPLICATE_NAME = "pmf/duplicate-name";
    /// A material or environment is named that the level does not have.
    Warning UNKNOWN_NAME = "pmf/unknown-name";
    /// A material has an unknown render mode.
    Warning RENDER_MODE = "pmf/render-mode";
    /// A chunk has no cubes, or more than a file of this size can have.
    Error CUBE_COUNT = "pmf/cube-count";
    /// A cube is of an unknown type.
    Error CUBE_TYPE = "pmf/cube-type";
    /// The cubes of a chunk are not a tree.
    Error CUBE_TREE = "pmf/cube-tree";
    /// A cube names vertices or normals that its chunk does not have.
    Error CUBE_VERTICES = "pmf/cube-vertices";
    /// A face is of a material that its chunk does not use.
    Error CUBE_MATERIAL = "pmf/cube-material";
    /// Cubes are in no other cube.
    Warning UNREACHED_CUBE = "pmf/unreached-cube";
    /// Cubes have their children in a section that is missing or cannot be read.
    Warning MISSING_CHILDREN = "pmf/missing-children";
    /// An index is outside its list.
    Warning INDEX = "pmf/index";
    /// A lightmap has more than 2^15 luxels on a side.
    Error LIGHTMAP_SIZE = "pmf/lightmap-size";
    /// A dynamic light names a lightmap that its chunk does not have.
    Error LIGHT_LIGHTMAP = "pmf/light-lightmap";
    /// A fast light names vertices that its chunk does not have.
    Error LIGHT_VERTICES = "pmf/light-vertices";
    /// The max corner of a region is below its min corner.
    Warning REGION_CORNERS = "pmf/region-corners";
    /// Entities of the map cannot be read.
    Error MAP_ENTITIES = "pmf/map-entities";
    /// Entities of a level or chunk cannot be read.
    Error ENTITIES = "pmf/entities";
    /// An entity is of an unknown type.
    Warning ENTITY_TYPE = "pmf/entity-type";
    /// A value of an entity has no meaning.
    Warning ENTITY_VALUE = "pmf/entity-value";
    /// A property of an entity has no meaning or does not exist.
    Warning ENTITY_PROPERTY = "pmf/entity-property";
    /// An entity has a name that is reserved for players.
    Warning PLAYER_NAME = "pmf/player-name";
    /// The archive, or a directory in it, cannot be read.
    Warning ARCHIVE = "pmf/archive";
    /// A file, link or name in the archive cannot be read.
    Warning ARCHIVE_ENTRY = "pmf/archive-entry";
    /// Two entries of a directory in the archive have the same name.
    Warning ARCHIVE_DUPLICATE = "pmf/archive-duplicate";
    /// A texture in the archive cannot be read, or has flags without meaning.
    Warning TEXTURE = "pmf/texture";
}
