//! Writing PFSCENE.

use super::{Pfscene, lines};

/// Writes a scene as it was read: the same lines in the same spelling, and what has been changed as
/// the engine writes it.
///
/// What a reader goes past (blank lines, lines that mean nothing where they stand) is not written
/// again, numbers of entries are those that there are, and the last line always ends. Names are
/// written as they are; the format has no way to write one of an entity with a space in it.
pub fn write(scene: &Pfscene) -> Vec<u8> {
    let line_end: &[u8] = if scene.layout.crlf { b"\r\n" } else { b"\n" };
    let mut out = Vec::new();
    lines::for_each_line(scene, &mut |line, text| {
        out.extend_from_slice(scene.layout.spelt(line, &text));
        out.extend_from_slice(line_end);
    });
    out
}
