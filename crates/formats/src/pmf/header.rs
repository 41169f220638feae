//! The header of a map and its extensions (fact sheet A1, A2, A12).

use super::bytes::Cursor;
use super::codec::{Out, Stored as _};
use super::{newer, rules};
use crate::{Problems, ReadError, counted, quoted};

/// Magic bytes of every map; the version follows.
pub(super) const MAGIC: [u8; 3] = *b"PMF";
/// The only version.
pub(super) const VERSION: u8 = 0;
/// Maximum number of gamemodes: the bits in the mask of an entity.
pub const MAX_GAMEMODES: usize = 32;
/// Start of the year 10000, in seconds of Unix time.
pub(super) const YEAR_10000: u64 = 253_402_300_800;
/// Longer texts in the header are reported, in bytes.
const LONG_TEXT_BYTES: usize = 64 << 10;

/// Metadata of a map (document, "Header").
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// Compile time, in seconds of Unix time.
    pub created_unix_secs: u64,
    /// The name of the map.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its authors.
    pub authors: String,
    /// The program that compiled it.
    pub compiler: String,
    /// Names of gamemodes. The position in the list is the bit in the masks of entities, from the
    /// lowest. At most [`MAX_GAMEMODES`].
    pub gamemodes: Vec<String>,
}

/// An extension of the format (fact sheet A12).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extension {
    /// Bits; [`Extension::USE_IN_CRC`] and [`Extension::SUPPORT_REQUIRED`] are known.
    pub flags: u8,
    /// Its name.
    pub name: String,
    /// Its content.
    pub data: Vec<u8>,
    /// File offset of its flags.
    pub offset: u64,
    /// Size in the file, in bytes: flags, name and data.
    pub size: u32,
}

impl Extension {
    /// Included in the checksum of the map.
    pub const USE_IN_CRC: u8 = 0x01;
    /// Programs that do not know it must not use the map.
    pub const SUPPORT_REQUIRED: u8 = 0x02;
    /// The only extension with a meaning.
    pub const KNOWN: &'static str = "bakedlights";
}

/// Returns `true` if a file that begins with these bytes is a map. Unknown future versions count
/// too, so that the reader can reject them with a reason.
pub(super) fn sniff(bytes: &[u8]) -> bool {
    bytes
        .strip_prefix(&MAGIC)
        .and_then(|rest| rest.first())
        .is_some_and(|version| *version < b' ')
}

/// Reads the header up to the name of the map, the minimum for a usable result.
///
/// # Errors
/// Returns an error if the file is not a map, has another version or layout, or is truncated.
pub(super) fn read_name(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
) -> Result<Header, ReadError> {
    cursor.enter("header", None);
    if cursor.left() < 4 {
        let found = format!("the file has {}", counted(cursor.left(), "byte"));
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
    if let Some(error) = newer::refusal(cursor) {
        return Err(error);
    }
    let at = cursor.pos();
    let created_unix_secs = cursor.u64()?;
    if created_unix_secs >= YEAR_10000 {
        cursor.warn(problems, &rules::CREATION_TIME, at, || {
            format!("the creation time, {created_unix_secs} s, is after the year 9999")
        });
    }
    let name = read_field(cursor, problems, "name of the map")?;
    Ok(Header {
        created_unix_secs,
        name,
        ..Header::default()
    })
}

/// Reads the texts after the name of the map in the header.
pub(super) fn read_texts(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
    header: &mut Header,
) -> Result<(), ReadError> {
    header.description = read_field(cursor, problems, "description of the map")?;
    header.authors = read_field(cursor, problems, "authors of the map")?;
    header.compiler = read_field(cursor, problems, "compiler info of the map")?;
    Ok(())
}

/// Reads the gamemodes, which follow the texts.
pub(super) fn read_gamemodes(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
    header: &mut Header,
) -> Result<(), ReadError> {
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
    for i in 0..usize::from(count) {
        cursor.enter("gamemode", i);
        let at = cursor.pos();
        let name = read_text(cursor)?;
        let bytes = cursor.pos() - at - 1;
        if !(1..16).contains(&bytes) {
            cursor.warn(problems, &rules::GAMEMODE_NAME, at, || {
                format!("name of {bytes} bytes; expected 1 to 15")
            });
        }
        header.gamemodes.push(name);
    }
    Ok(())
}

/// Reads a zero-terminated text.
fn read_text(cursor: &mut Cursor<'_>) -> Result<String, ReadError> {
    let at = cursor.pos();
    let text = cursor.read_until_zero().ok_or_else(|| {
        let expected = "a NUL-terminated text";
        cursor.fault(&rules::UNTERMINATED_TEXT, at, "unterminated text", expected)
    })?;
    Ok(String::from_utf8_lossy(text).into_owned())
}

fn read_field(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
    name: &'static str,
) -> Result<String, ReadError> {
    cursor.enter(name, None);
    let at = cursor.pos();
    let text = read_text(cursor)?;
    let bytes = cursor.pos() - at - 1;
    if bytes >= LONG_TEXT_BYTES {
        cursor.warn(problems, &rules::LONG_TEXT, at, || {
            format!("text of {bytes} bytes; expected less than 64 KiB")
        });
    }
    Ok(text)
}

impl Header {
    pub(super) fn write(&self, out: &mut Out) {
        out.bytes.extend(MAGIC);
        out.bytes.push(VERSION);
        out.bytes.extend(self.created_unix_secs.to_le_bytes());
        out.text("name", &self.name);
        out.text("description", &self.description);
        out.text("authors", &self.authors);
        out.text("compiler info", &self.compiler);
        if self.gamemodes.len() > MAX_GAMEMODES {
            out.too_many("gamemode", self.gamemodes.len(), MAX_GAMEMODES as u64);
        }
        out.count("gamemode", self.gamemodes.len(), 1);
        for gamemode in &self.gamemodes {
            out.text("gamemode", gamemode);
        }
    }
}

impl Extension {
    pub(super) fn write(&self, out: &mut Out) {
        self.flags.write(out);
        out.text("extension", &self.name);
        out.bytes.extend(&self.data);
    }
}

/// Reads the declared number of extensions.
///
/// # Errors
/// Returns the reason why the data after them cannot be located.
pub(super) fn read_extensions(
    cursor: &mut Cursor<'_>,
    problems: &mut Problems,
    extensions: &mut Vec<Extension>,
) -> Result<(), ReadError> {
    cursor.enter("extension list", None);
    let count = cursor.u16()?;
    let count = cursor.count(count, 4, "extension")?;
    let mut sizes = Vec::with_capacity(count);
    for _ in 0..count {
        sizes.push(cursor.u32()?);
    }
    for (i, size) in sizes.into_iter().enumerate() {
        cursor.enter("extension", i);
        let at = cursor.pos();
        let mut extension = Extension {
            offset: at as u64,
            size,
            ..Extension::default()
        };
        let body = cursor.bytes(size as usize)?;
        if let Some((flags, rest)) = body.split_first() {
            extension.flags = *flags;
            let mut parts = rest.splitn(2, |byte| *byte == 0);
            let (name, data) = (parts.next().unwrap_or_default(), parts.next());
            extension.name =
                data.map_or_else(String::new, |_| String::from_utf8_lossy(name).into());
            extension.data = data.unwrap_or(rest).to_vec();
        }
        if extension.name.is_empty() {
            cursor.warn(problems, &rules::EXTENSION_NAME, at, || {
                let is_ended = body.iter().skip(1).any(|byte| *byte == 0);
                if is_ended {
                    "missing name".to_owned()
                } else {
                    format!(
                        "{} without a NUL-terminated name",
                        counted(size as usize, "byte")
                    )
                }
            });
        }
        let known = Extension::USE_IN_CRC | Extension::SUPPORT_REQUIRED;
        cursor.check_bits(problems, at, extension.flags, known);
        if extension.flags & Extension::SUPPORT_REQUIRED != 0 && extension.name != Extension::KNOWN
        {
            cursor.warn(problems, &rules::REQUIRED_EXTENSION, at, || {
                format!(
                    "the map requires the unknown extension {}",
                    quoted(extension.name.as_bytes())
                )
            });
        }
        extensions.push(extension);
    }
    Ok(())
}
