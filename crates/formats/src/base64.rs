//! Tolerant base64: white space and padding are skipped, and padding may be missing.

use std::sync::LazyLock;

use data_encoding::{BASE64, DecodeKind, Encoding};

use super::quoted;

static TOLERANT: LazyLock<Encoding> = LazyLock::new(|| {
    let mut base64 = data_encoding::BASE64_NOPAD.specification();
    base64.ignore.push_str(" \t\r\n=");
    base64.check_trailing_bits = false;
    // The ignored characters are in no alphabet, so this cannot fail.
    base64.encoding().unwrap_or(BASE64)
});

/// A fault in a base64 text.
#[derive(Debug)]
pub(super) struct Fault {
    /// Index of the faulty character.
    pub position: usize,
    /// `true` if a character is not base64, `false` if the text ends in the middle of a byte.
    pub is_symbol: bool,
    /// The fault and the expectation.
    pub message: String,
}

/// Decodes a text up to its end or its first fault.
pub(super) fn decode(text: &[u8]) -> (Vec<u8>, Option<Fault>) {
    let Ok(len) = TOLERANT.decode_len(text.len()) else {
        return (Vec::new(), None);
    };
    let mut bytes = vec![0; len];
    let (written, error) = match TOLERANT.decode_mut(text, &mut bytes) {
        Ok(written) => (written, None),
        Err(partial) => (partial.written, Some(partial.error)),
    };
    bytes.truncate(written);
    let fault = error.map(|error| Fault {
        position: error.position,
        is_symbol: error.kind == DecodeKind::Symbol,
        message: match error.kind {
            DecodeKind::Symbol => {
                let found = text.get(error.position..=error.position);
                let found = quoted(found.unwrap_or_default());
                format!("found {found}; expected base64 (letters, digits, `+` and `/`)")
            }
            _ => "truncated base64: it ends in the middle of a byte".to_owned(),
        },
    });
    (bytes, fault)
}

/// Encodes bytes in one line, padded.
pub(super) fn encode(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}
