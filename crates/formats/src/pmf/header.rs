//! The head of a map and its extensions (fact sheet A1, A2, A12).

use super::bytes::Cursor;
use super::rules;
use crate::{Problems, ReadError, quoted};

/// What every map begins with, the version behind it.
pub(super) const MAGIC: [u8; 3] = *b"PMF";
/// The only version.
pub(super) const VERSION: u8 = 0;
/// The most gamemodes that the mask of an entity has bits for.
pub const MAX_GAMEMODES: usize = 32;
/// The beginning of the year 10000, in seconds of Unix time.
const YEAR_10000: u64 = 253_402_300_800;
/// Longer texts in the head are odd, in bytes.
const LONG_TEXT_BYTES: usize = 64 << 10;

/// What a map says of itself (document, "Header").
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// When the map was compiled, in seconds of Unix time.
    pub created_unix_secs: u64,
    /// The name of the map.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// Who made it.
    pub authors: String,
    /// What compiled it.
    pub compiler: String,
    /// Names of gamemodes; the place in the list is the bit in the masks of entities, from the
    /// lowest. At most [`MAX_GAMEMODES`].
    pub gamemodes: Vec<String>,
}

/// An extension of the format (fact sheet A12).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extension {
    /// Bits, of which [`Extension::USE_IN_CRC`] and [`Extension::SUPPORT_REQUIRED`] are known.
    pub flags: u8,
    /// Its name.
    pub name: String,
    /// What it holds.
    pub data: Vec<u8>,
    /// Offset in the file of its flags.
    pub offset: u64,
    /// Its bytes in the file: flags, name and data.
    pub size: u32,
}

impl Extension {
    /// It is part of the checksum of the map.
    pub const USE_IN_CRC: u8 = 0x01;
    /// A program that does not know it must not use the map.
    pub const SUPPORT_REQUIRED: u8 = 0x02;
    /// The one extension that has a meaning.
    pub const KNOWN: &'static str = "bakedlights";
}

/// Says whether a file that begins with these bytes is a map. Versions that there are not yet are
/// also for this reader, which refuses them with a reason.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    bytes
        .strip_prefix(&MAGIC)
        .and_then(|rest| rest.first())
        .is_some_and(|version| *version < b' ')
}

/// Reads the head of a file.
pub(super) fn read_header(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
) -> Result<Header, ReadError> {
    cursor.enter("header", None);
    if cursor.left() < 4 {
        let found = format!("the file has {} bytes", cursor.left());
        return Err(cursor.fault(&rules::MAGIC, 0, found, "`PMF` and the version"));
    }
    let magic: [u8; 3] = cursor.array()?;
    if magic != MAGIC {
        let found = format!("found {}", quoted(&magic));
        return Err(cursor.fault(&rules::MAGIC, 0, found, "`PMF`"));
    }
    let version = cursor.u8()?;
    if version != VERSION {
        let found = format!("version {version}");
        return Err(cursor.fault(&rules::VERSION, 3, found, "version 0"));
    }
    let at = cursor.pos();
    let created_unix_secs = cursor.u64()?;
    if created_unix_secs >= YEAR_10000 {
        cursor.warn(problems, &rules::CREATION_TIME, at, || {
            format!("the creation time, {created_unix_secs} s, is after the year 9999")
        });
    }
    let name = read_text(cursor, problems, "name of the map")?;
    let description = read_text(cursor, problems, "description of the map")?;
    let authors = read_text(cursor, problems, "authors of the map")?;
    let compiler = read_text(cursor, problems, "compiler info of the map")?;
    cursor.enter("gamemodes", None);
    let at = cursor.pos();
    let count = cursor.u8()?;
    if usize::from(count) > MAX_GAMEMODES {
        return Err(cursor.fault(
            &rules::GAMEMODE_COUNT,
            at,
            format!("{count} gamemodes"),
            "at most 32",
        ));
    }
    let count = cursor.count(count, 1, "gamemodes")?;
    let mut gamemodes = Vec::with_capacity(count);
    for i in 0..count {
        cursor.enter("gamemode", i);
        let at = cursor.pos();
        let name = cursor.until_zero().ok_or_else(|| unended(cursor, at))?;
        if !(1..16).contains(&name.len()) {
            cursor.warn(problems, &rules::GAMEMODE_NAME, at, || {
                format!("a name of {} bytes; it should have 1 to 15", name.len())
            });
        }
        gamemodes.push(String::from_utf8_lossy(name).into_owned());
    }
    Ok(Header {
        created_unix_secs,
        name,
        description,
        authors,
        compiler,
        gamemodes,
    })
}

fn unended(cursor: &Cursor<'_>, at: usize) -> ReadError {
    cursor.fault(
        &rules::UNTERMINATED_TEXT,
        at,
        "a text without end",
        "text with a zero byte behind it",
    )
}

fn read_text(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
    name: &'static str,
) -> Result<String, ReadError> {
    cursor.enter(name, None);
    let at = cursor.pos();
    let text = cursor.until_zero().ok_or_else(|| unended(cursor, at))?;
    if text.len() >= LONG_TEXT_BYTES {
        cursor.warn(problems, &rules::LONG_TEXT, at, || {
            format!("a text of {} bytes; more than 64 KiB is odd", text.len())
        });
    }
    Ok(String::from_utf8_lossy(text).into_owned())
}

/// Reads the extensions.
pub(super) fn read_extensions(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
) -> Result<Vec<Extension>, ReadError> {
    cursor.enter("extension list", None);
    let count = cursor.u16()?;
    let count = cursor.count(count, 4, "extensions")?;
    let mut sizes = Vec::with_capacity(count);
    for _ in 0..count {
        sizes.push(cursor.u32()?);
    }
    let mut extensions = Vec::with_capacity(count);
    for (i, size) in sizes.into_iter().enumerate() {
        cursor.enter("extension", i);
        let at = cursor.pos();
        let mut extension = Extension {
            offset: at as u64,
            size,
            ..Extension::default()
        };
        let body = cursor.bytes(size as usize)?;
        let name_and_data = body.split_first().and_then(|(flags, rest)| {
            extension.flags = *flags;
            let name_len = rest.iter().position(|byte| *byte == 0)?;
            rest.split_at_checked(name_len)
        });
        match name_and_data {
            Some((name, [_, data @ ..])) if !name.is_empty() => {
                extension.name = String::from_utf8_lossy(name).into_owned();
                extension.data = data.to_vec();
            }
            Some((_, [_, data @ ..])) => {
                extension.data = data.to_vec();
                cursor.warn(problems, &rules::EXTENSION_NAME, at, || {
                    "it has no name".to_owned()
                });
            }
            _ => {
                extension.data = body.get(1..).unwrap_or_default().to_vec();
                cursor.warn(problems, &rules::EXTENSION_NAME, at, || {
                    format!("{size} bytes in which no name ends")
                });
            }
        }
        let known = Extension::USE_IN_CRC | Extension::SUPPORT_REQUIRED;
        if extension.flags & !known != 0 {
            cursor.warn(problems, &rules::RESERVED_BITS, at, || {
                format!(
                    "flags {:#04x}; only {known:#04x} have a meaning",
                    extension.flags
                )
            });
        }
        if extension.flags & Extension::SUPPORT_REQUIRED != 0 && extension.name != Extension::KNOWN
        {
            cursor.warn(problems, &rules::REQUIRED_EXTENSION, at, || {
                format!(
                    "the map says that it must be supported, but {} is not known",
                    quoted(extension.name.as_bytes())
                )
            });
        }
        extensions.push(extension);
    }
    Ok(extensions)
}
