//! The rules of models.

use crate::cursor::TextRules;

crate::rules! {
    pub;
    /// A line of the header is missing, out of order or cannot be read.
    Error HEADER_LINE = "pfobj/header-line";
    /// A number of the header promises more than the file has room for.
    Error HEADER_COUNT = "pfobj/header-count", all is read;
    /// The header says `num_material` where the engine expects `num_materials`.
    Error NUM_MATERIAL = "pfobj/num-material", all is read;
    /// The model has no materials.
    Warning NO_MATERIALS = "pfobj/no-materials";
    /// The model has no bounds (`has_collision 0`), without which the engine refuses it.
    Error NO_BOUNDS = "pfobj/no-bounds", all is read;
    /// A model without joints has no vertex that can be read.
    Error NO_VERTICES = "pfobj/no-vertices";
    /// There are more clips or materials than the engine takes, which refuses the file, or more clips,
    /// joints or materials than are read.
    Error LIMIT = "pfobj/limit";
    /// There are more joints than the engine moves.
    Warning JOINT_LIMIT = "pfobj/joint-limit";
    /// The vertices do not make whole triangles.
    Error TRIANGLES = "pfobj/triangles", all is read;
    /// A line of the header begins with a space.
    Error INDENTED_LINE = "pfobj/indented-line", all is read;
    /// The file begins with a byte order mark.
    Error BYTE_ORDER_MARK = "pfobj/byte-order-mark", all is read;
    /// There is a blank line.
    Error BLANK_LINE = "pfobj/blank-line", all is read;
    /// A line has more words than are read.
    Warning EXTRA_WORDS = "pfobj/extra-words";
    /// A line has more than the 255 bytes that the engine reads.
    Error LONG_LINE = "pfobj/long-line", all is read;
    /// A line is missing or out of place.
    Error LINE = "pfobj/line";
    /// A part of the file comes too late.
    Error ORDER = "pfobj/order";
    /// A list is longer or shorter than the header says.
    Error COUNT = "pfobj/count", all is read;
    /// The values on a line cannot be read.
    Error VALUE = "pfobj/value";
    /// Numbers have a decimal comma.
    Error DECIMAL_COMMA = "pfobj/decimal-comma";
    /// A number is NaN or infinite.
    Error NOT_FINITE = "pfobj/not-finite";
    /// More than six joints move a vertex.
    Warning INFLUENCES = "pfobj/influences";
    /// A vertex has weights above and below zero: some of its joints move it away from where they go.
    Warning NEGATIVE_WEIGHT = "pfobj/negative-weight";
    /// All weights of a vertex are below zero, of which the engine makes weights above zero.
    Note NEGATED_WEIGHTS = "pfobj/negated-weights";
    /// `vw` ends its line without a space, which the engine refuses.
    Error EMPTY_WEIGHTS = "pfobj/empty-weights", all is read;
    /// A vertex of a model with clips has no weights, or their sum is 0: it stays where the bind pose
    /// has it.
    Warning UNWEIGHTED = "pfobj/unweighted";
    /// A normal has length zero, for which the engine has no light.
    Warning ZERO_NORMAL = "pfobj/zero-normal";
    /// A normal is not of length 1, which the engine makes of it.
    Note NORMAL_LENGTH = "pfobj/normal-length";
    /// A vertex of a model with clips names a joint that does not exist.
    Error JOINT_INDEX = "pfobj/joint-index", all is read;
    /// A vertex names a material that does not exist.
    Error MATERIAL_INDEX = "pfobj/material-index", all is read;
    /// The engine takes only a part of a name: the first word of several, or of the name of a texture the
    /// first 63 bytes.
    Warning NAME = "pfobj/name";
    /// The name of a material has several words, of which the engine takes the first, and looks at none.
    Note MATERIAL_NAME = "pfobj/material-name";
    /// The engine cannot load the file for a name: that of a joint is missing or has spaces, that of a
    /// joint or a clip is too long, or that of a material is reserved.
    Error BAD_NAME = "pfobj/bad-name", all is read;
    /// The parent of a joint does not exist.
    Error PARENT = "pfobj/parent";
    /// A joint is its own ancestor.
    Error PARENT_CYCLE = "pfobj/parent-cycle";
    /// A quaternion has length zero.
    Error ROTATION = "pfobj/rotation", all is read;
    /// A quaternion is not of length 1, as the engine takes it to be.
    Warning ROTATION_LENGTH = "pfobj/rotation-length";
    /// A rotation has three components, as the document says, where the engine reads the four of a
    /// quaternion.
    Warning EULER_ROTATION = "pfobj/euler-rotation";
    /// Several clips have the same name, of which the engine plays only the first.
    Warning CLIP_TWICE = "pfobj/clip-twice";
    /// Several joints have the same name, at which the engine does not look.
    Note JOINT_TWICE = "pfobj/joint-twice";
    /// A clip has more or fewer frames than are announced.
    Error FRAME_COUNT = "pfobj/frame-count", all is read;
    /// Frames do not have the poses of all joints; these stay at rest.
    Error FRAME = "pfobj/frame";
    /// A pose has another number than that of its joint. The engine goes by the order of the lines.
    Note POSE_ORDER = "pfobj/pose-order";
    /// The bounds of a frame or of the bind pose are missing.
    Error BOUNDS = "pfobj/bounds";
    /// The min of bounds is above their max.
    Warning BOUNDS_ORDER = "pfobj/bounds-order";
    /// A merge conflict is unresolved: one version of its lines is read.
    Error CONFLICT = "pfobj/conflict";
    /// The last line does not end with a line feed.
    Error LAST_LINE = "pfobj/last-line", all is read;
    /// Something follows the end of the model.
    Warning TRAILING_DATA = "pfobj/trailing-data";
}

/// The rules of text files for models.
pub(super) static TEXT_RULES: TextRules = TextRules {
    indented_line: Some(&INDENTED_LINE),
    byte_order_mark: &BYTE_ORDER_MARK,
    blank_line: &BLANK_LINE,
    extra_words: &EXTRA_WORDS,
    long_line: &LONG_LINE,
};
