//! Writing PFSCENE.

use super::{Pfscene, lines};

/// Writes a scene as it was read: the same lines in the same spelling. Changed lines get the
/// engine's spelling.
///
/// Some details are normalised:
///
/// - Blank lines and lines that have no meaning in their place are not written.
/// - Announced numbers are those of the actual entries.
/// - The last line always ends with a line end.
///
/// Names are written unchanged; the format cannot represent an entity name with a space.
pub fn write(scene: &Pfscene) -> Vec<u8> {
    let line_end: &[u8] = if scene.layout.crlf { b"\r\n" } else { b"\n" };
    let mut out = Vec::new();
    lines::for_each_line(scene, &mut |line, text| {
        out.extend_from_slice(scene.layout.spelt(line, &text));
        out.extend_from_slice(line_end);
    });
    out
}
