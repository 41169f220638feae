//! Rules for models.

crate::rules! {
    /// The file does not begin with `P3M` and a version.
    Error MAGIC = "p3m/magic";
    /// The file has an unknown version.
    Error VERSION = "p3m/version";
    /// The file has a layout of version 1, which the engine no longer reads.
    Error OLD_LAYOUT = "p3m/old-layout";
    /// The file is truncated.
    Error TRUNCATED = "p3m/truncated";
    /// A name is outside the strings of the file.
    Error STRING = "p3m/string";
    /// The last string has no terminating zero byte.
    Warning UNTERMINATED_STRING = "p3m/unterminated-string";
    /// A name is not valid UTF-8.
    Warning ENCODING = "p3m/encoding";
    /// The file has more than 65535 bytes of strings.
    Error STRINGS_SIZE = "p3m/strings-size", all is read;
    /// Reserved bits are set.
    Warning RESERVED_BITS = "p3m/reserved-bits";
    /// A number is NaN or infinite.
    Warning NOT_FINITE = "p3m/not-finite";
    /// A triangle refers to a vertex that its part does not have.
    Error VERTEX_INDEX = "p3m/vertex-index";
    /// The number of indices of a part is not a multiple of 3.
    Warning TRIANGLES = "p3m/triangles";
    /// The weights of a bone are for more vertices than the part has.
    Error WEIGHTS = "p3m/weights";
    /// A group has no weights, which crashes the engine.
    Warning EMPTY_GROUP = "p3m/empty-group";
    /// A part refers to a material that does not exist.
    Error MATERIAL_INDEX = "p3m/material-index", all is read;
    /// A material refers to a texture that does not exist.
    Error TEXTURE_INDEX = "p3m/texture-index", all is read;
    /// An animation refers to an action that does not exist.
    Error ACTION_INDEX = "p3m/action-index";
    /// A material has an unknown render mode.
    Warning RENDER_MODE = "p3m/render-mode";
    /// An animated material has an unknown loop mode.
    Warning LOOP_MODE = "p3m/loop-mode";
    /// A texture has an unknown type.
    Warning TEXTURE_TYPE = "p3m/texture-type";
    /// The part list of an action has an unknown mode.
    Warning PART_LIST_MODE = "p3m/part-list-mode";
    /// A key has an unknown mode.
    Warning KEY_MODE = "p3m/key-mode";
    /// A bone has more children than there are bones left.
    Error CHILD_COUNT = "p3m/child-count", all is read;
    /// A bone has fewer children than it declares.
    Warning MISSING_CHILDREN = "p3m/missing-children";
    /// All bones have lost the height and depth of their tails.
    Warning LOST_TAILS = "p3m/lost-tails";
    /// A field has an unknown type, so the data after it cannot be found.
    Error FIELD_TYPE = "p3m/field-type";
    /// The elements of a field are outside the strings of the file.
    Error FIELD_ELEMENTS = "p3m/field-elements";
    /// Several bones, animations or tracks have the same name; the first is used.
    Warning DUPLICATE_NAME = "p3m/duplicate-name";
    /// A bone, part or animation does not exist.
    Warning UNKNOWN_NAME = "p3m/unknown-name";
    /// An action has no tracks of bones, which crashes the engine.
    Warning NO_TRACKS = "p3m/no-tracks";
    /// The frames of an action or material take no time.
    Warning FRAME_TIME = "p3m/frame-time";
    /// The speed of an animation is not positive.
    Warning SPEED = "p3m/speed";
    /// An animation plays frames downward.
    Warning DOWNWARD = "p3m/downward";
    /// An animation plays nothing, so the model stands at rest.
    Note EMPTY_ANIMATION = "p3m/empty-animation";
    /// The file has layout B, which the engine does not read.
    Note LAYOUT_B = "p3m/layout-b";
}
