//! The rules of scenes.

use crate::cursor::TextRules;

crate::rules! {
    /// A header line is missing or cannot be read.
    Error HEADER_LINE = "pfscene/header-line";
    /// The version is newer than 1.1, the latest one that the engine reads.
    Error VERSION = "pfscene/version", all is read;
    /// The file begins with a byte order mark.
    Error BYTE_ORDER_MARK = "pfscene/byte-order-mark", all is read;
    /// The file has a blank line, which the engine refuses.
    Error BLANK_LINE = "pfscene/blank-line", all is read;
    /// A line has extra words.
    Warning EXTRA_WORDS = "pfscene/extra-words";
    /// A line is longer than the 255 bytes that the engine reads.
    Error LONG_LINE = "pfscene/long-line", all is read;
    /// A merge conflict is unresolved; only one side is read.
    Error CONFLICT = "pfscene/conflict";
    /// The last line does not end with a line feed.
    Error LAST_LINE = "pfscene/last-line", all is read;
    /// The scene has the form of 2018 to 2021, without a version and sections.
    Error OLDER_FORM = "pfscene/older-form", all is read;
    /// A section name looks like a misspelling of a known one.
    Warning SECTION = "pfscene/section";
    /// The file has a duplicate section.
    Warning SECTION_TWICE = "pfscene/section-twice";
    /// A line belongs to no section, or to another one.
    Error LINE = "pfscene/line";
    /// A record or a line of `general` cannot be read, or a record has no attributes.
    Error RECORD = "pfscene/record";
    /// The declared number of entries is wrong, missing or duplicate.
    Error COUNT = "pfscene/count", all is read;
    /// An attribute value cannot be read.
    Error VALUE = "pfscene/value";
    /// A number has a decimal comma.
    Error DECIMAL_COMMA = "pfscene/decimal-comma";
    /// A number is NaN or infinite.
    Error NOT_FINITE = "pfscene/not-finite";
    /// An attribute has another type than the engine expects.
    Error ATTRIBUTE_TYPE = "pfscene/attribute-type", all is read;
    /// The key of an attribute or of a line of `general` looks like a misspelling of a known one.
    Warning ATTRIBUTE_KEY = "pfscene/attribute-key";
    /// A record or the section `general` has a duplicate key.
    Error ATTRIBUTE_TWICE = "pfscene/attribute-twice", all is read;
    /// A record lacks an attribute that the engine needs.
    Error ATTRIBUTE_MISSING = "pfscene/attribute-missing", all is read;
    /// Two regions or two cameras have the same name.
    Error DUPLICATE_NAME = "pfscene/duplicate-name", all is read;
    /// Two factions have the same name.
    Warning FACTION_NAME_TWICE = "pfscene/faction-name-twice";
    /// A name is longer than the engine supports.
    Warning NAME = "pfscene/name";
    /// An entity belongs to a faction that does not exist.
    Error FACTION = "pfscene/faction", all is read;
    /// The scene has more factions than the engine supports.
    Error FACTION_LIMIT = "pfscene/faction-limit", all is read;
    /// A diplomacy line has a faction or a state that does not exist.
    Error DIPLOMACY = "pfscene/diplomacy", all is read;
    /// A pair of factions has a duplicate diplomacy line.
    Warning DIPLOMACY_TWICE = "pfscene/diplomacy-twice";
    /// A faction is at war with another that is at peace with it.
    Warning ONE_SIDED_WAR = "pfscene/one-sided-war";
    /// A scale hides the entity (0) or mirrors it (an odd number of negative factors).
    Warning SCALE = "pfscene/scale";
    /// A radius or the size of a region is negative.
    Warning NEGATIVE_LENGTH = "pfscene/negative-length";
    /// A position or a length is too large to be visible.
    Warning HUGE_LENGTH = "pfscene/huge-length";
    /// A colour component is outside 0 to 255.
    Warning COLOR = "pfscene/color";
    /// A line contains a NUL byte, where it ends for the engine.
    Warning NUL_BYTE = "pfscene/nul-byte";
    /// A quaternion has length 0.
    Error ROTATION = "pfscene/rotation", all is read;
    /// A quaternion does not have length 1, so the engine distorts what it rotates.
    Warning ROTATION_LENGTH = "pfscene/rotation-length";
    /// A region is neither a circle nor a rectangle.
    Error REGION_SHAPE = "pfscene/region-shape";
}

/// The rules of text files for scenes.
pub(super) static TEXT_RULES: TextRules = TextRules {
    // The engine skips spaces at the beginning of any line.
    indented_line: None,
    byte_order_mark: &BYTE_ORDER_MARK,
    blank_line: &BLANK_LINE,
    extra_words: &EXTRA_WORDS,
    long_line: &LONG_LINE,
};
