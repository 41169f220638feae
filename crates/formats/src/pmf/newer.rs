//! Detection of maps with a newer layout than the supported document. They have the same version
//! number and differ only in layout. All of them begin with texts instead of the creation time,
//! which comes after the texts (document of `PlatinumSrc` since 29 October 2025).

use super::bytes::Cursor;
use super::header::{MAX_GAMEMODES, YEAR_10000};
use super::rules;
use crate::{ReadError, quoted};

/// Bytes of magic and version.
const BEFORE: usize = 4;
/// Maximum lengths of texts in a newer map, including the terminating zero byte.
const LONGEST_NAME: usize = 256;
const LONGEST_TEXT: usize = 65_536;
const LONGEST_GAMEMODE: usize = 32;

/// The reason why a newer header cannot be read.
enum HeaderFault {
    /// The file ends inside the header.
    End,
    /// The bytes are not such a header.
    Other,
}

/// The error for a map of a newer layout; `None` for the supported layout or if the layout is
/// uncertain.
pub(super) fn refusal(cursor: &Cursor<'_>) -> Option<ReadError> {
    let mut whole = cursor.clone();
    whole.seek(0);
    let found = found(whole.rest())?;
    let expected = "the layout of 15 September 2025, which has the same version number";
    Some(cursor.fault(&rules::NEWER_LAYOUT, BEFORE, found, expected))
}

/// Evidence of a newer layout; `None` for the supported layout or if the layout is uncertain.
pub(super) fn found(bytes: &[u8]) -> Option<String> {
    let mut at = BEFORE;
    let name = text(bytes, &mut at, LONGEST_NAME).ok();
    let name = name.filter(|name| !name.is_empty())?;
    let newest = header_end(bytes, at, true);
    let is_newest = matches!(newest, Ok(at) if is_newest_data(bytes, at));
    let is_other = |read| matches!(read, Err(HeaderFault::Other));
    if is_other(newest) && is_other(header_end(bytes, at, false)) {
        return None;
    }
    // The creation time in the supported layout.
    let time = bytes.get(BEFORE..)?.first_chunk().copied();
    let is_no_time = time.is_none_or(|time| u64::from_le_bytes(time) >= YEAR_10000);
    let layout = match (is_newest, is_no_time) {
        (true, _) => "of December 2025",
        (false, true) => "of 29 October 2025 or later",
        (false, false) => return None,
    };
    let name = quoted(name);
    Some(format!(
        "the name {name} instead of a creation time, as in the layout {layout}"
    ))
}

/// The offset after the header of a newer map, whose name ends at `at`. With `has_first`, a
/// gamemode precedes the count of the others, as in the newest document.
fn header_end(bytes: &[u8], mut at: usize, has_first: bool) -> Result<usize, HeaderFault> {
    for longest in [LONGEST_TEXT, LONGEST_TEXT, LONGEST_NAME] {
        text(bytes, &mut at, longest)?;
    }
    let gamemode = |at: &mut usize| match text(bytes, at, LONGEST_GAMEMODE)? {
        [] => Err(HeaderFault::Other),
        _ => Ok(()),
    };
    if has_first {
        gamemode(&mut at)?;
    }
    let count = *bytes.get(at).ok_or(HeaderFault::End)?;
    if usize::from(count) > MAX_GAMEMODES - usize::from(has_first) {
        return Err(HeaderFault::Other);
    }
    at += 1;
    for _ in 0..count {
        gamemode(&mut at)?;
    }
    let time = bytes.get(at..).and_then(|rest| rest.first_chunk());
    let time = u64::from_le_bytes(*time.ok_or(HeaderFault::End)?);
    (time < YEAR_10000)
        .then_some(at + 8)
        .ok_or(HeaderFault::Other)
}

/// Reads a readable, zero-terminated text of limited length.
fn text<'a>(bytes: &'a [u8], at: &mut usize, longest: usize) -> Result<&'a [u8], HeaderFault> {
    let rest = bytes.get(*at..).unwrap_or_default();
    let head = rest.get(..longest).unwrap_or(rest);
    let len = head.iter().position(|byte| *byte == 0);
    let found = head.get(..len.unwrap_or(head.len())).unwrap_or_default();
    let is_readable = match std::str::from_utf8(found) {
        Ok(found) => !found.contains(|c: char| c.is_control() && !c.is_whitespace()),
        // The file may end within a character.
        Err(error) => len.is_none() && error.error_len().is_none(),
    };
    if !is_readable || (len.is_none() && rest.len() >= longest) {
        return Err(HeaderFault::Other);
    }
    *at += len.ok_or(HeaderFault::End)? + 1;
    Ok(found)
}

/// Returns `true` if the data of the newest document begins at an offset: the offset of the
/// extensions, which come after the map, then the size of the map.
fn is_newest_data(bytes: &[u8], at: usize) -> bool {
    let numbers = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>());
    let Some(numbers) = numbers else {
        return false;
    };
    let (numbers, _) = numbers.as_chunks();
    let [extensions, size] = [0, 1].map(|i| {
        let number = numbers.get(i).copied().unwrap_or_default();
        u64::from(u32::from_le_bytes(number))
    });
    // Offsets are relative to the start of the file or of the data.
    let map_at = 8;
    size >= 8 && [map_at + size, at as u64 + map_at + size].contains(&extensions)
}

#[cfg(test)]
mod tests {
    use super::super::bytes::{Part, Section};
    use super::*;

    /// A map of the newest document: its header and the start of its data.
    fn newest(name: &str) -> Vec<u8> {
        let mut file = b"PMF\0".to_vec();
        for text in [name, "Two rooms", "somebody", "compiler 1", "walk"] {
            file.extend(text.as_bytes());
            file.push(0);
        }
        file.push(1);
        file.extend(b"fly\0");
        file.extend(1_766_000_000_u64.to_le_bytes());
        let map_at = file.len() as u32 + 8;
        file.extend((map_at + 100).to_le_bytes());
        file.extend(100_u32.to_le_bytes());
        file.extend([0; 110]);
        file
    }

    fn said(file: &[u8]) -> Option<String> {
        let section = Section {
            part: Part::File,
            start: 0,
            is_packed: false,
        };
        refusal(&Cursor::new(file, section)).map(|error| error.to_string())
    }

    #[test]
    fn the_newest_layout_is_named() {
        // In the supported layout, a name of four letters is a plausible time.
        for name in ["Hall", "A hall of pillars"] {
            let text = said(&newest(name)).unwrap();
            assert!(text.starts_with("0x4: "), "{text}");
            assert!(text.contains(&format!("`{name}`")) && text.contains("of December 2025"));
            let error = crate::pmf::read(&newest(name)).unwrap_err();
            assert_eq!(error.problem().unwrap().rule, &rules::NEWER_LAYOUT);
        }
    }

    #[test]
    fn layouts_between_are_told_from_the_one_that_is_read() {
        // Gamemodes counted as before, then the time, then other bytes.
        let mut file = b"PMF\0A long name\0\0\0\0\x01walk\0".to_vec();
        file.extend(1_762_000_000_u64.to_le_bytes());
        file.extend([9; 40]);
        let text = said(&file).unwrap();
        assert!(text.contains("29 October 2025 or later"), "{text}");
        // A map truncated within its header.
        let cut = &newest("A hall of pillars")[..30];
        assert!(said(cut).unwrap().contains("29 October 2025 or later"));
    }

    #[test]
    fn uncertain_layouts_are_not_reported() {
        // The supported layout, with valid, odd and text-like times.
        for time in [0, 1_757_894_400, u64::MAX, u64::from_le_bytes(*b"AAAAAAAA")] {
            let mut file = b"PMF\0".to_vec();
            file.extend(time.to_le_bytes());
            file.extend(b"Room\0Two rooms\0somebody\0compiler\0\x01walk\0");
            file.extend([12, 0, 0, 0]);
            file.extend(b"\0one\0two\0abc");
            file.extend([0; 60]);
            assert_eq!(said(&file), None, "{time}");
        }
        assert_eq!(said(b"PMF\0"), None);
        assert_eq!(said(b"PMF\0\0\0\0\0"), None);
        // A short name alone may also be a time.
        assert_eq!(said(b"PMF\0Hall\0\0\0\0"), None);
        assert!(said(&newest("Hall")[..20]).is_some());
    }
}
