//! The rules of scenes.

use crate::cursor::TextRules;

crate::rules! {
    /// A line of the header is missing or cannot be read.
    Error HEADER_LINE = "pfscene/header-line";
    /// The version is newer than 1.1, the last that the engine reads.
    Error VERSION = "pfscene/version", all is read;
    /// The file begins with a byte order mark.
    Error BYTE_ORDER_MARK = "pfscene/byte-order-mark", all is read;
    /// There is a blank line, which the engine refuses.
    Error BLANK_LINE = "pfscene/blank-line", all is read;
    /// A line has more words than are read.
    Warning EXTRA_WORDS = "pfscene/extra-words";
    /// A line has more than the 255 bytes that the engine reads.
    Error LONG_LINE = "pfscene/long-line", all is read;
    /// A merge conflict is unresolved: one version of its lines is read.
    Error CONFLICT = "pfscene/conflict";
    /// The last line does not end with a line feed.
    Error LAST_LINE = "pfscene/last-line", all is read;
    /// The scene is of the form of 2018 to 2021, without a version and sections.
    Error OLDER_FORM = "pfscene/older-form", all is read;
    /// The name of a section is nearly one that the engine reads.
    Warning SECTION = "pfscene/section";
    /// The file has a section twice.
    Warning SECTION_TWICE = "pfscene/section-twice";
    /// Lines are in none of the sections, or in one where they have no place.
    Error LINE = "pfscene/line";
    /// The first line of a record, or a line of `general`, cannot be read, or a record has no attributes.
    Error RECORD = "pfscene/record";
    /// There are more or fewer entries than is announced, or their number is there twice or not at all.
    Error COUNT = "pfscene/count", all is read;
    /// The value of an attribute cannot be read.
    Error VALUE = "pfscene/value";
    /// Numbers have a decimal comma.
    Error DECIMAL_COMMA = "pfscene/decimal-comma";
    /// A number is NaN or infinite.
    Error NOT_FINITE = "pfscene/not-finite";
    /// An attribute has a value of another type than the engine reads.
    Error ATTRIBUTE_TYPE = "pfscene/attribute-type", all is read;
    /// The key of an attribute or of a line of `general` is nearly one that the engine reads.
    Warning ATTRIBUTE_KEY = "pfscene/attribute-key";
    /// A record has two attributes of the same key, or `general` two values of one.
    Error ATTRIBUTE_TWICE = "pfscene/attribute-twice", all is read;
    /// A record lacks an attribute that the engine needs.
    Error ATTRIBUTE_MISSING = "pfscene/attribute-missing", all is read;
    /// Two regions or two cameras have the same name.
    Error DUPLICATE_NAME = "pfscene/duplicate-name", all is read;
    /// Two factions have the same name.
    Warning FACTION_NAME_TWICE = "pfscene/faction-name-twice";
    /// A name is longer than the engine has room for.
    Warning NAME = "pfscene/name";
    /// An entity belongs to a faction that does not exist.
    Error FACTION = "pfscene/faction", all is read;
    /// There are more factions than the engine has room for.
    Error FACTION_LIMIT = "pfscene/faction-limit", all is read;
    /// A line of diplomacy names a faction or a state that does not exist.
    Error DIPLOMACY = "pfscene/diplomacy", all is read;
    /// A pair of factions has two lines of diplomacy.
    Warning DIPLOMACY_TWICE = "pfscene/diplomacy-twice";
    /// A faction is at war with one that is at peace with it.
    Warning ONE_SIDED_WAR = "pfscene/one-sided-war";
    /// A scale is zero, which hides the entity, or has an odd number of negative factors, which mirror it.
    Warning SCALE = "pfscene/scale";
    /// A radius, or an extent of a region, is negative.
    Warning NEGATIVE_LENGTH = "pfscene/negative-length";
    /// A place or a length is beyond all that can be seen.
    Warning HUGE_LENGTH = "pfscene/huge-length";
    /// A colour has a part that is not from 0 to 255.
    Warning COLOR = "pfscene/color";
    /// A line holds a NUL byte, where it ends for the engine.
    Warning NUL_BYTE = "pfscene/nul-byte";
    /// A quaternion has length zero.
    Error ROTATION = "pfscene/rotation", all is read;
    /// A quaternion is not of length 1, as the engine takes it to be.
    Warning ROTATION_LENGTH = "pfscene/rotation-length";
    /// The shape of a region is neither a circle nor a rectangle.
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
