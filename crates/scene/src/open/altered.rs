//! Files that a program altered on their way: texts in UTF-16, or with the line ends or spaces of other
//! programs, and binary files that were taken for texts.
//!
//! All of what follows in such a file is elsewhere or other than it was, so that readers would find fault
//! with much of it. Where the alteration can be undone, what the file was before is read.

use bytes::Bytes;

use super::rules::{DOUBLE_SPACED, LINE_ENDS, NO_BREAK_SPACE, TEXT_MODE, UTF8, UTF16};
use mapscope_formats::{Place, Problem, Rule, Subject};

/// How many characters at the beginning of a text tell its encoding.
const SNIFFED_CHARS: usize = 16;
/// How many line ends tell that all of them were altered.
const MIN_LINE_ENDS: usize = 2;
/// What the rules of blank lines end with, which each text format has for itself.
const BLANK_LINE: &str = "/blank-line";
/// How many blank lines tell that every other line is blank.
const MIN_BLANK_LINES: usize = 4;
/// A no-break space in UTF-8.
const SPACE_OF_PAGES: &[u8] = "\u{a0}".as_bytes();
/// What UTF-8 has in place of a byte that is none.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();
/// The characters of Windows-1252 for the bytes from 0x80 to 0x9F; those that it has not are those of
/// Latin-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// How a file was altered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alteration {
    /// A text was saved as UTF-16, as PowerShell does where output goes to a file.
    Utf16,
    /// Lines end with CR alone, as old Macs wrote them.
    LineEnds,
    /// Spaces are no-break spaces, as where a text was copied from a web page.
    NoBreakSpaces,
    /// Bytes were taken for characters and saved as UTF-8.
    Utf8,
    /// CR was put before every LF, as a transfer in text mode does.
    TextMode,
}

impl Alteration {
    /// In the order in which they are looked for.
    const ALL: [Self; 5] = [
        Self::Utf16,
        Self::LineEnds,
        Self::NoBreakSpaces,
        Self::Utf8,
        Self::TextMode,
    ];

    /// What a file was before it; none where it was not altered so.
    fn undone(self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Utf16 => of_utf16(bytes),
            Self::LineEnds => of_line_ends(bytes),
            Self::NoBreakSpaces => of_no_break_spaces(bytes),
            Self::Utf8 => of_utf8(bytes),
            Self::TextMode => of_text_mode(bytes),
        }
    }

    fn rule(self) -> &'static Rule {
        match self {
            Self::Utf16 => &UTF16,
            Self::LineEnds => &LINE_ENDS,
            Self::NoBreakSpaces => &NO_BREAK_SPACE,
            Self::Utf8 => &UTF8,
            Self::TextMode => &TEXT_MODE,
        }
    }

    /// Why nothing is as it should be.
    pub(super) fn problem(self) -> Problem {
        let message = match self {
            Self::Utf16 => {
                "the text is UTF-16, with two bytes for each character; expected ASCII or UTF-8 without a \
                 byte order mark, since the engine reads one byte for each"
            }
            Self::LineEnds => {
                "lines end with CR alone, so that the whole text is one line for the engine; expected LF or \
                 CR LF"
            }
            Self::NoBreakSpaces => {
                "words are parted by no-break spaces (U+00A0), which the engine takes for a part of the word; \
                 expected spaces"
            }
            Self::Utf8 => {
                "the file was saved as text in UTF-8, which makes two bytes of every byte over 127; it is \
                 read as it was before that"
            }
            Self::TextMode => {
                "the file was transferred as text: CR (0D) stands before every LF (0A); it is read as it \
                 was before that"
            }
        };
        problem(self.rule(), message)
    }
}

fn problem(rule: &'static Rule, message: &str) -> Problem {
    let place = if [&UTF8, &TEXT_MODE].contains(&rule) {
        Place::Offset(0)
    } else {
        Place::Text { line: 1, column: 1 }
    };
    Problem::new(rule, Subject::File, place, message)
}

/// What a file may have been before it was altered.
pub(super) fn undone(bytes: &[u8]) -> impl Iterator<Item = (Bytes, Alteration)> {
    let mut all = Alteration::ALL.into_iter();
    std::iter::from_fn(move || {
        all.find_map(|alteration| Some((alteration.undone(bytes)?.into(), alteration)))
    })
}

/// The bytes in which the lines of a text are, if they are others than those of the file.
pub(super) fn lines(bytes: &[u8]) -> Option<Bytes> {
    let lines = of_utf16(bytes).or_else(|| of_line_ends(bytes));
    lines.map(Bytes::from)
}

/// That a binary file was saved as text and lost what is not UTF-8; none where it was not.
pub(super) fn destroyed(bytes: &[u8]) -> Option<Problem> {
    let is_lossy = bytes.windows(REPLACEMENT.len()).any(|it| it == REPLACEMENT);
    (is_lossy && is_binary(bytes) && str::from_utf8(bytes).is_ok()).then(|| {
        let message = "the file was saved as text in UTF-8, which put U+FFFD (EF BF BD) in place of the bytes \
                       over 127; they are lost";
        problem(&UTF8, message)
    })
}

/// Lets blank lines follow from it that every other line is blank, as where line ends were converted twice.
pub(super) fn fold_blank_lines(problems: &mut Vec<Problem>) {
    let is_blank_line = |problem: &Problem| problem.rule.id.ends_with(BLANK_LINE);
    let blank_lines = problems.iter().filter(|problem| is_blank_line(problem));
    let lines: Vec<u64> = blank_lines
        .filter_map(|problem| match problem.place {
            Place::Text { line, .. } => Some(line),
            Place::Offset(_) => None,
        })
        .collect();
    let is_double = lines.array_windows().all(|[a, b]| b - a == 2);
    if lines.len() < MIN_BLANK_LINES || !is_double {
        return;
    }
    let Some(first) = problems.iter().position(is_blank_line) else {
        return;
    };
    let message =
        "every other line is blank, as where line ends were converted twice; expected none";
    let place = problems[first].place;
    let mut cause = Problem::new(&DOUBLE_SPACED, Subject::File, place, message);
    for problem in problems.extract_if(.., |problem| is_blank_line(problem)) {
        cause.add_consequence(problem);
    }
    problems.insert(first, cause);
}

/// Whether it is no text.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.contains(&0)
}

fn of_utf16(bytes: &[u8]) -> Option<Vec<u8>> {
    let (pairs, odd) = bytes.as_chunks();
    let mut decoders = [u16::from_le_bytes, u16::from_be_bytes].into_iter();
    let decode = decoders.find(|decode| begins_as_text(pairs, *decode))?;
    let units = pairs.iter().copied().map(decode);
    let units = units.skip_while(|unit| *unit == 0xfeff);
    let chars = char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER));
    // A text that is cut off may end in the middle of a character.
    let rest = odd.iter().map(|_| char::REPLACEMENT_CHARACTER);
    Some(chars.chain(rest).collect::<String>().into_bytes())
}

/// Whether a text of ASCII characters begins here, or behind a byte order mark.
fn begins_as_text(pairs: &[[u8; 2]], decode: fn([u8; 2]) -> u16) -> bool {
    let mut units = pairs.iter().copied().map(decode).peekable();
    units.next_if_eq(&0xfeff);
    let is_ascii = |unit: u16| {
        let byte = u8::try_from(unit);
        byte.is_ok_and(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
    };
    units.len() >= SNIFFED_CHARS && units.take(SNIFFED_CHARS).all(is_ascii)
}

fn of_line_ends(bytes: &[u8]) -> Option<Vec<u8>> {
    let line_ends = memchr::memchr_iter(b'\r', bytes).count();
    let is_altered = line_ends >= MIN_LINE_ENDS && !bytes.contains(&b'\n') && !is_binary(bytes);
    let with_lf = |byte: &u8| if *byte == b'\r' { b'\n' } else { *byte };
    is_altered.then(|| bytes.iter().map(with_lf).collect())
}

fn of_no_break_spaces(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut spaces = memchr::memmem::find_iter(bytes, SPACE_OF_PAGES).peekable();
    if spaces.peek().is_none() || is_binary(bytes) {
        return None;
    }
    let mut before = Vec::with_capacity(bytes.len());
    let mut behind = 0;
    for space in spaces {
        before.extend_from_slice(&bytes[behind..space]);
        before.push(b' ');
        behind = space + SPACE_OF_PAGES.len();
    }
    before.extend_from_slice(&bytes[behind..]);
    Some(before)
}

fn of_utf8(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.is_ascii() || !is_binary(bytes) {
        return None;
    }
    let byte_of = |char: char| {
        let high = WINDOWS_1252.iter().position(|of| *of == char);
        let high = high.map(|high| 0x80 + high as u8);
        high.or_else(|| u8::try_from(char).ok())
    };
    str::from_utf8(bytes).ok()?.chars().map(byte_of).collect()
}

fn of_text_mode(bytes: &[u8]) -> Option<Vec<u8>> {
    if !is_binary(bytes) {
        return None;
    }
    let mut before = Vec::new();
    let mut line_ends = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(line) = line.strip_suffix(b"\r\n") {
            before.extend_from_slice(line);
            before.push(b'\n');
            line_ends += 1;
        } else if line.ends_with(b"\n") {
            return None;
        } else {
            before.extend_from_slice(line);
        }
    }
    (line_ends >= MIN_LINE_ENDS).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str, encode: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(encode).collect()
    }

    /// Alterations that are found, with what the file was before.
    fn found(bytes: &[u8]) -> Vec<(Vec<u8>, Alteration)> {
        undone(bytes)
            .map(|(before, how)| (before.into(), how))
            .collect()
    }

    #[test]
    fn texts_in_utf_16_are_decoded_with_a_mark_and_without() {
        let text = "version 1.0\nmaterial Größe 🗺 grass.png\n";
        for encode in [u16::to_le_bytes, u16::to_be_bytes] {
            for mark in ["", "\u{feff}"] {
                let bytes = encoded(&format!("{mark}{text}"), encode);
                assert_eq!(of_utf16(&bytes).unwrap(), text.as_bytes());
            }
        }
    }

    #[test]
    fn a_text_in_utf_16_may_be_cut_in_a_character() {
        let bytes = encoded("num_materials 1 🗺", u16::to_le_bytes);
        for cut in 1..4 {
            let text = of_utf16(&bytes[..bytes.len() - cut]).unwrap();
            let text = String::from_utf8(text).unwrap();
            let rest = text.strip_prefix("num_materials 1 ").unwrap();
            assert!(!rest.is_empty() && rest.chars().all(|char| char == '\u{fffd}'));
        }
    }

    #[test]
    fn every_byte_comes_back_from_utf_8() {
        let bytes: Vec<u8> = (0..=255).collect();
        let latin_1: String = bytes.iter().map(|byte| char::from(*byte)).collect();
        let windows = |byte: &u8| {
            let high = byte
                .checked_sub(0x80)
                .and_then(|high| WINDOWS_1252.get(usize::from(high)));
            high.copied().unwrap_or(char::from(*byte))
        };
        let windows: String = bytes.iter().map(windows).collect();
        for text in [latin_1, windows] {
            let expected = vec![(bytes.clone(), Alteration::Utf8)];
            assert_eq!(found(text.as_bytes()), expected);
            assert_eq!(destroyed(text.as_bytes()), None);
        }
        assert_eq!(found(&bytes), []);
        let lossy = String::from_utf8_lossy(&bytes);
        assert_eq!(found(lossy.as_bytes()), []);
        assert!(destroyed(lossy.as_bytes()).is_some());
    }

    #[test]
    fn a_transfer_as_text_is_undone() {
        let bytes = b"\0\n\xff\rx\n\n\0";
        let sent = b"\0\r\n\xff\rx\r\n\r\n\0";
        let expected = vec![(bytes.to_vec(), Alteration::TextMode)];
        assert_eq!(found(sent), expected);
        for other in [&bytes[..], b"\0\r\nx\n\r\n", b"\0\r\nx", b"a\r\nb\r\n"] {
            assert_eq!(found(other), [], "{other:?}");
        }
    }

    #[test]
    fn line_ends_and_spaces_of_other_programs_are_those_of_texts() {
        let text = b"version 1.0\nmaterial a b.png\n";
        let cr: Vec<u8> = text
            .map(|byte| if byte == b'\n' { b'\r' } else { byte })
            .into();
        assert_eq!(found(&cr), [(text.to_vec(), Alteration::LineEnds)]);
        let spaces = String::from_utf8_lossy(text).replace(' ', "\u{a0}");
        let expected = [(text.to_vec(), Alteration::NoBreakSpaces)];
        assert_eq!(found(spaces.as_bytes()), expected);
    }

    #[test]
    fn other_bytes_are_left_alone() {
        let text = "version 1.0\nnum_materials 1 Größe\n".as_bytes();
        let numbers: Vec<u8> = (1..200_u32).flat_map(u32::to_le_bytes).collect();
        let few = encoded("version 1.0", u16::to_le_bytes);
        for bytes in [text, &numbers, &few, b"", b"\xff\xfe", &[0; 64]] {
            assert_eq!(found(bytes), []);
            assert_eq!(destroyed(bytes), None);
        }
    }
}
