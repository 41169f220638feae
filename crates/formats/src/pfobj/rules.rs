//! The rules of models.

use crate::cursor::TextRules;

crate::rules! {
    pub;
    /// A header line is missing, out of order or cannot be read.
    Error HEADER_LINE = "pfobj/header-line";
    /// The header declares more records than the file can hold.
    Error HEADER_COUNT = "pfobj/header-count", all is read;
    /// The header has `num_material` instead of `num_materials`.
    Error NUM_MATERIAL = "pfobj/num-material", all is read;
    /// The model has no materials.
    Warning NO_MATERIALS = "pfobj/no-materials";
    /// The model has no bounds (`has_collision 0`), so the engine refuses it.
    Error NO_BOUNDS = "pfobj/no-bounds", all is read;
    /// A model without joints has no readable vertex.
    Error NO_VERTICES = "pfobj/no-vertices";
    /// The model has more clips, joints or materials than the engine or Mapscope supports.
    Error LIMIT = "pfobj/limit";
    /// The model has more joints than the engine can animate.
    Warning JOINT_LIMIT = "pfobj/joint-limit";
    /// The number of vertices is not a multiple of 3.
    Error TRIANGLES = "pfobj/triangles", all is read;
    /// A header line begins with a space.
    Error INDENTED_LINE = "pfobj/indented-line", all is read;
    /// The file begins with a byte order mark.
    Error BYTE_ORDER_MARK = "pfobj/byte-order-mark", all is read;
    /// The file has a blank line.
    Error BLANK_LINE = "pfobj/blank-line", all is read;
    /// A line has extra words.
    Warning EXTRA_WORDS = "pfobj/extra-words";
    /// A line is longer than the 255 bytes that the engine reads.
    Error LONG_LINE = "pfobj/long-line", all is read;
    /// A line is missing or out of place.
    Error LINE = "pfobj/line";
    /// A section is out of order.
    Error ORDER = "pfobj/order";
    /// The length of a list does not match the header.
    Error COUNT = "pfobj/count", all is read;
    /// The values of a line cannot be read.
    Error VALUE = "pfobj/value";
    /// A number has a decimal comma.
    Error DECIMAL_COMMA = "pfobj/decimal-comma";
    /// A number is NaN or infinite.
    Error NOT_FINITE = "pfobj/not-finite";
    /// A vertex has more than six weights.
    Warning INFLUENCES = "pfobj/influences";
    /// A vertex has positive and negative weights, so some joints move it the wrong way.
    Warning NEGATIVE_WEIGHT = "pfobj/negative-weight";
    /// All weights of a vertex are negative; the engine makes them positive.
    Note NEGATED_WEIGHTS = "pfobj/negated-weights";
    /// `vw` has neither weights nor a trailing space, so the engine refuses the line.
    Error EMPTY_WEIGHTS = "pfobj/empty-weights", all is read;
    /// A vertex of an animated model has no weights, or their sum is 0, so it stays in the bind
    /// pose.
    Warning UNWEIGHTED = "pfobj/unweighted";
    /// A normal has length 0, so its lighting is undefined.
    Warning ZERO_NORMAL = "pfobj/zero-normal";
    /// A normal does not have length 1; the engine normalises it.
    Note NORMAL_LENGTH = "pfobj/normal-length";
    /// A vertex of an animated model refers to a joint that does not exist.
    Error JOINT_INDEX = "pfobj/joint-index", all is read;
    /// A vertex refers to a material that does not exist.
    Error MATERIAL_INDEX = "pfobj/material-index", all is read;
    /// The engine truncates a name to its first word, or a texture name to 63 bytes.
    Warning NAME = "pfobj/name";
    /// A material name has several words; the engine reads the first and does not use it.
    Note MATERIAL_NAME = "pfobj/material-name";
    /// A name of a joint, clip or material is missing, too long, reserved or contains spaces.
    Error BAD_NAME = "pfobj/bad-name", all is read;
    /// A joint has a parent that does not exist.
    Error PARENT = "pfobj/parent";
    /// A joint is its own ancestor.
    Error PARENT_CYCLE = "pfobj/parent-cycle";
    /// A quaternion has length 0.
    Error ROTATION = "pfobj/rotation", all is read;
    /// A quaternion does not have length 1, so the engine distorts what it rotates.
    Warning ROTATION_LENGTH = "pfobj/rotation-length";
    /// A rotation has three components instead of the four of a quaternion.
    Warning EULER_ROTATION = "pfobj/euler-rotation";
    /// Several clips have the same name, so the engine plays only the first.
    Warning CLIP_TWICE = "pfobj/clip-twice";
    /// Several joints have the same name, which the engine ignores.
    Note JOINT_TWICE = "pfobj/joint-twice";
    /// A clip has more or fewer frames than declared.
    Error FRAME_COUNT = "pfobj/frame-count", all is read;
    /// A frame lacks the poses of some joints, which stay at rest.
    Error FRAME = "pfobj/frame";
    /// A pose has the number of another joint; the engine goes by the order of the lines.
    Note POSE_ORDER = "pfobj/pose-order";
    /// The bounds of a frame or of the bind pose are missing.
    Error BOUNDS = "pfobj/bounds";
    /// The minimum of bounds is above their maximum.
    Warning BOUNDS_ORDER = "pfobj/bounds-order";
    /// A merge conflict is unresolved; only one side is read.
    Error CONFLICT = "pfobj/conflict";
    /// The last line does not end with a line feed.
    Error LAST_LINE = "pfobj/last-line", all is read;
    /// Extra data follows the end of the model.
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
