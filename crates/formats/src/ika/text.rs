//! Text encoding of ika's files: the Windows code page of Western Europe (fact sheet 2, 7.3).

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

use super::WriteError;
use crate::quoted;

/// Decodes a text. Every byte is a character.
pub(super) fn decode(bytes: &[u8]) -> String {
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    text.into_owned()
}

/// Encodes a text.
pub(super) fn encode<'a>(text: &'a str, record: &str) -> Result<Cow<'a, [u8]>, WriteError> {
    let (bytes, _, has_failed) = WINDOWS_1252.encode(text);
    if has_failed {
        return Err(WriteError::new(
            record,
            format!(
                "{} has characters that are not in Windows-1252",
                quoted(text.as_bytes())
            ),
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text = decode(&bytes);
        assert_eq!(text.chars().count(), 256);
        assert_eq!(encode(&text, "text").unwrap(), bytes);
        assert_eq!(decode(b"Caf\xe9 \x80"), "Café €");
        // A UTF-8 byte order mark is ordinary text.
        assert_eq!(decode(b"\xef\xbb\xbf"), "ï»¿");
        let error = encode("日本", "title").unwrap_err();
        assert_eq!(
            error.to_string(),
            "title: `日本` has characters that are not in Windows-1252"
        );
    }
}
